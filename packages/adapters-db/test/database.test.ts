import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../src/database/Database.ts"
import { databases } from "./databases.ts"

for (const { name, layer: database } of databases) {
  layer(database, { excludeTestServices: true, timeout: "60 seconds" })(`Database on ${name}`, (it) => {
    it.effect("values come back in the types the port promises", () =>
      Effect.gen(function* () {
        const { statement } = yield* Database
        const [row] = yield* statement(
          `SELECT 9007199254740991::bigint AS large, timestamptz '2026-01-02T03:04:05.678Z' AS moment, '{"a":[1]}'::jsonb AS json,
           '\\x00ff'::bytea AS bytes, ARRAY[1, 2]::bigint[] AS list, NULL::bigint AS nothing, count(*) AS count`
        )
        assert.strictEqual(row?.["large"], 9007199254740991)
        assert.deepStrictEqual(row?.["moment"], new Date("2026-01-02T03:04:05.678Z"))
        assert.deepStrictEqual(row?.["json"], { a: [1] })
        assert.deepStrictEqual([...(row?.["bytes"] as Uint8Array)], [0, 255])
        assert.deepStrictEqual(row?.["list"], [1, 2])
        assert.strictEqual(row?.["nothing"], null)
        assert.strictEqual(row?.["count"], 1)
      })
    )

    it.effect("each door runs as its role", () =>
      Effect.gen(function* () {
        const database = yield* Database
        const whoAmI = "SELECT current_user::text AS role, current_setting('parley.user_id', true) AS user_id"
        const user = yield* database.asUser("o'hara\\", (sql) => sql.query(whoAmI))
        assert.deepStrictEqual(user[0], { role: "parley_user", user_id: "o'hara\\" })
        const service = yield* database.asService((sql) => sql.query(whoAmI))
        assert.strictEqual(service[0]?.["role"], "parley_service")
      })
    )
  })
}
