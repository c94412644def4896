/** A plain pg_dump by the login that owns the tables, and a plain restore of it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ChatStore } from "@parley/core/adapter"
import { receiptDraft, testedLedger } from "@parley/core/testing"
import { Effect, Layer, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../src/database/Database.ts"
import { databaseLayer } from "../src/databaseLayer.ts"
import { migrate, pendingMigrations } from "../src/migrations/migrate.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { administer } from "./administer.ts"
import { freshPostgres, hasPostgres } from "./databases.ts"
import { fill, verifyAll } from "./filled.ts"
import { ordinaryLogin, ownerOf, partsOf } from "./ordinaryLogin.ts"

/** The version of the pg_dump on the path; 0 if there is none. It must not be older than the server. */
const dumpVersion = (() => {
  try {
    return Number(/ (\d+)/.exec(execFileSync("pg_dump", ["--version"], { encoding: "utf8" }))?.[1] ?? 0)
  } catch {
    return 0
  }
})()

const FITTING = 17

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-dump-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const partsOn = (url: string) =>
  storesLayer().pipe(
    Layer.provideMerge(
      Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(databaseLayer({ url, maxConnections: 5 })))
    )
  )

/** The number of rows in each of our tables. */
const sizes = Database.use(({ schema, statement }) =>
  Effect.gen(function* () {
    const tables = yield* statement<{ name: string }>(
      "SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' ORDER BY 1",
      [schema]
    )
    const counted: Record<string, unknown> = {}
    for (const { name } of tables) {
      const [row] = yield* statement(`SELECT count(*) AS rows FROM ${name}`)
      counted[name] = row?.["rows"]
    }
    return counted
  })
)

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

describe.runIf(hasPostgres && dumpVersion >= FITTING)("backups by the owner of the tables", () => {
  it("a plain dump has every row, restores plainly, verifies, and is worked on", () =>
    run(
      Effect.gen(function* () {
        const url = yield* ordinaryLogin
        const [users, before] = yield* Effect.provide(Effect.all([fill, sizes]), partsOn(url))
        const file = join(yield* temporaryFolder, "parley.dump")
        execFileSync("pg_dump", ["--format=custom", `--file=${file}`, url])

        const copy = yield* ownerOf(yield* freshPostgres, "")
        yield* Effect.promise(() => administer(`GRANT parley_user, parley_service TO ${partsOf(copy).login}`))
        execFileSync("pg_restore", ["--exit-on-error", "--no-owner", `--dbname=${copy}`, file])

        yield* Effect.provide(
          Effect.gen(function* () {
            expect(yield* pendingMigrations()).toEqual([])
            expect(yield* sizes).toEqual(before)
            expect(yield* verifyAll).toEqual([])
            const ledger = yield* testedLedger
            for (const userId of users) {
              const end = yield* ledger.settle({ userId, key: "reply:3", amount: 5, draft: receiptDraft })
              expect(end._tag).toBe("Settled")
              expect((yield* (yield* ChatStore).list({ userId, limit: 10, offset: 0 })).total).toBe(1)
            }
            expect(yield* verifyAll).toEqual([])
          }),
          partsOn(copy)
        )
      })
    ))
})
