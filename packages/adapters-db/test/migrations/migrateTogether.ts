import { Effect } from "effect"
import { expect, it } from "vitest"
import { loadMigrations } from "../../src/migrations/Migration.ts"
import { migrateDatabase } from "../../src/openDatabase.ts"
import { freshPostgres } from "../databases.ts"

/** Lets six processes migrate a new database at the same moment, this number of times. */
export const migrateTogether = (rounds: number): void =>
  it("many may do so at the same moment, the job queue's schema included, every time", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          for (let round = 0; round < rounds; round++) {
            const url = yield* freshPostgres
            const all = Array.from({ length: 6 }, () => migrateDatabase({ url }))
            const applied = yield* Effect.promise(() => Promise.all(all))
            expect(applied.flat().length).toBe((yield* Effect.promise(loadMigrations)).length)
          }
        })
      )
    ))
