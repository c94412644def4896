import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { loadMigrations } from "../../src/migrations/Migration.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"
import { migrateTogether } from "./migrateTogether.ts"

describe.runIf(hasPostgres)("migrating a server", () => {
  it("several processes may do so at once: together they apply everything once", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const url = yield* freshPostgres
          const program = fileURLToPath(new URL("../fixtures/migrateOnce.ts", import.meta.url))
          const one = Effect.promise(() =>
            promisify(execFile)(process.execPath, ["--conditions=@parley/source", program, url])
          )
          const all = yield* Effect.all([one, one, one], { concurrency: "unbounded" })
          const applied = all.flatMap(({ stdout }) => JSON.parse(stdout) as Array<string>)
          const shipped = yield* Effect.promise(loadMigrations)
          expect(applied.toSorted()).toEqual(shipped.map(({ id }) => id))
        })
      )
    ))

  migrateTogether(20)
})
