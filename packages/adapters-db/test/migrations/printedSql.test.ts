import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { migrateDatabase, openDatabase } from "../../src/openDatabase.ts"
import { migrationScript, uninstallScript } from "../../src/migrations/printedSql.ts"
import { loadMigrations } from "../../src/migrations/Migration.ts"
import { newUserId } from "@parley/core/testing"
import { ProcessDocument } from "@parley/core/adapter"
import { administer } from "../administer.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

const run = Effect.runPromise

/** Everything there is beside the system's own, but for roles. */
const EVERYTHING = `SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`

const databaseOf = (url: string) => new URL(url).pathname.slice(1)

describe.runIf(hasPostgres)("the printed SQL", () => {
  it("makes the schema and the job queue as parley migrate does, and takes all of it away", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const url = yield* freshPostgres
          yield* Effect.promise(async () => {
            const schema = "Parley_1"
            await administer(await migrationScript(schema), databaseOf(url))
            expect(await migrateDatabase({ url, schema })).toEqual([])
            const database = await openDatabase({ url, schema, migrate: false })
            await database.checkReadiness()
            const documentId = crypto.randomUUID()
            await run(database.jobs.enqueue(newUserId(), ProcessDocument, { documentId }))
            await database.close()
            await administer(uninstallScript(schema), databaseOf(url))
            expect(await migrateDatabase({ url, schema })).toHaveLength((await loadMigrations()).length)
            await administer([uninstallScript(schema), uninstallScript(schema)], databaseOf(url))
            const left = `DO $$ BEGIN IF EXISTS (${EVERYTHING} AND nspname <> 'public') THEN RAISE 'left'; END IF; END $$`
            await administer(left, databaseOf(url))
          })
        })
      )
    ))
})

it("is only what came after a migration that was applied before", async () => {
  const ids = (await loadMigrations()).map(({ id }) => id)
  const [newest = "", last = ""] = [ids.at(-1), ids.at(-2)]
  const script = await migrationScript("parley", last)
  expect(script).toContain(`-- ${newest}`)
  expect(script).not.toContain("CREATE SCHEMA")
  expect((await migrationScript("parley", newest)).trim()).toBe("")
  await expect(migrationScript("parley", "0000_none")).rejects.toThrow("There is no migration")
})
