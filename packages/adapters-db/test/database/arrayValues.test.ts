import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { arrayValues } from "../../src/database/arrayValues.ts"
import { Database } from "../../src/index.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

for (const { name, layer } of databases) {
  describe(`Arrays as parameters on ${name}`, () => {
    const database = builtOnce(layer)
    it("are in the database what was given, with nulls, nothing at all, and any character", () =>
      Effect.runPromise(
        Effect.gen(function* () {
          const { driver, statement } = yield* Database
          const arrays = arrayValues(driver)
          const texts = ['a "b" \\ {c}, d', "", null, "NULL", "é 漢 🦉"]
          const answers = yield* statement(
            "SELECT $1::integer[] AS integers, $2::text[] AS texts, $3::bigint[]::text[] AS bigints, $4::real[] AS reals",
            [
              arrays.integers([1, null, -2_147_483_648]),
              arrays.texts(texts),
              arrays.bigints([(1n << 62n) + 1n, -1n]),
              arrays.reals([
                [1.5, -0.25],
                [3.4028234663852886e38, 0.1]
              ])
            ]
          )
          expect(answers).toEqual([
            {
              integers: [1, null, -2_147_483_648],
              texts,
              bigints: ["4611686018427387905", "-1"],
              reals: [1.5, -0.25, 3.4028235e38, 0.1]
            }
          ])
          const none = [arrays.integers([]), arrays.texts([]), arrays.bigints([]), arrays.reals([])]
          const text = `SELECT $1::integer[] AS i, $2::text[] AS t, $3::bigint[] AS b, $4::real[] AS r`
          expect(yield* statement(text, none)).toEqual([{ i: [], t: [], b: [], r: [] }])
        }).pipe(Effect.provide(database))
      ))
  })
}
