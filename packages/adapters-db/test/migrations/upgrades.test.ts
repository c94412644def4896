import { ampleQuota, newDocument, newUserId, receiptDraft, reservation } from "@parley/core/testing"
import { ledgerOfStores, resetAll } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migrate, pendingMigrations } from "../../src/migrations/migrate.ts"
import { loadMigrations, makeMigration, type Migration, numberOf } from "../../src/migrations/Migration.ts"
import { openDatabase } from "../../src/openDatabase.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

const own = await loadMigrations()
const newest = numberOf(own.at(-1)?.id ?? "")

/** A newer release adds columns that this one does not know; a later one removes a column that this one needs. */
const expand = makeMigration(
  "9001_expand",
  `-- compatible from ${newest}\nALTER TABLE {{schema}}.credit_accounts ADD COLUMN more text;
ALTER TABLE {{schema}}.documents ADD COLUMN more text NOT NULL DEFAULT 'none';`
)
/** A newer release adds a column with a default to every table. */
const widen = makeMigration(
  "9001_widen",
  `-- compatible from ${newest}
DO $$
DECLARE
  t regclass;
BEGIN
  FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = '{{schema}}'::regnamespace AND c.relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN added_later text DEFAULT ''none''', t);
  END LOOP;
END
$$;`
)
const expandAgain = makeMigration("9002_expand_again", "-- compatible from 9001\nSELECT 1;")
const contract = makeMigration("9003_contract", "DROP TABLE {{schema}}.audit_log;")

const run = Effect.runPromise

const withServer = (work: (url: string) => Promise<void>) =>
  run(Effect.scoped(Effect.flatMap(freshPostgres, (url) => Effect.promise(() => work(url)))))

/** The start of a release with these migrations. */
const upgrade = (url: string, migrations: ReadonlyArray<Migration>) =>
  run(Effect.provide(migrate(migrations), PgDatabaseLayer({ url })))
const pending = (url: string, migrations: ReadonlyArray<Migration>) =>
  run(Effect.provide(pendingMigrations(migrations), PgDatabaseLayer({ url })))

describe.runIf(hasPostgres)("a schema that a newer release has migrated", () => {
  it("is run on by servers of this release where it says so, before and after a restart: a rollback boots", () =>
    withServer(async (url) => {
      const running = await openDatabase({ url })
      expect(await upgrade(url, [...own, expand])).toEqual(["9001_expand"])
      await running.checkReadiness()
      const credits = ledgerOfStores(running)
      await run(credits.open({ userId: newUserId(), tier: "free", allowance: 100 }))
      const inserted = ({ documents }: typeof running) => run(documents.insert(newDocument(newUserId()), ampleQuota))
      expect(await inserted(running)).toEqual({ _tag: "Inserted" })
      const rolledBack = await openDatabase({ url })
      await rolledBack.checkReadiness()
      await run(ledgerOfStores(rolledBack).open({ userId: newUserId(), tier: "free", allowance: 100 }))
      expect(await inserted(rolledBack)).toEqual({ _tag: "Inserted" })
      await running.close()
      await rolledBack.close()
      // And forward again.
      expect(await upgrade(url, [...own, expand])).toEqual([])
    }))

  it("may have a new column with a default on any table: replies, purchases and resets of running servers go on", () =>
    withServer(async (url) => {
      const running = await openDatabase({ url })
      const credits = ledgerOfStores(running)
      const userId = newUserId()
      await run(credits.open({ userId, tier: "free", allowance: 100 }))
      expect(await upgrade(url, [...own, widen])).toEqual(["9001_widen"])
      await run(credits.reserve(reservation(userId, "reply:1", 30)))
      await run(credits.settle({ userId, key: "reply:1", amount: 25, draft: receiptDraft }))
      const payment = { charge: "ch:1", paid: 100 }
      await run(credits.grant({ userId, key: "topup:1", type: "topup", amount: 50, payment }))
      const { nextResetAt } = await run(credits.account(userId))
      await run(resetAll(credits, { asOf: nextResetAt, allowances: { free: 100 } }))
      expect(await run(credits.account(userId))).toMatchObject({ allowance: 100, topup: 50 })
      expect((await run(credits.verify({ limit: 10, after: undefined }))).differences).toEqual([])
      await running.close()
    }))

  it("is no schema for servers that are older than it says, which then are not ready and do not start", () =>
    withServer(async (url) => {
      const running = await openDatabase({ url })
      await upgrade(url, [...own, expand, expandAgain])
      await expect(running.checkReadiness()).rejects.toThrow("9002_expand_again")
      await expect(openDatabase({ url })).rejects.toMatchObject({
        problem: "unknown",
        migrations: ["9002_expand_again"]
      })
      expect(await pending(url, [...own, expand])).toEqual([])
      await running.close()
    }))

  it("is no schema for any older server where it says nothing", () =>
    withServer(async (url) => {
      await upgrade(url, [...own, expand, expandAgain, contract])
      await expect(pending(url, [...own, expand, expandAgain])).rejects.toMatchObject({ migrations: ["9003_contract"] })
      await expect(openDatabase({ url })).rejects.toMatchObject({ code: "migration_refused" })
    }))

  it("is no schema either where a migration stands before this release's newest: it came from elsewhere", () =>
    withServer(async (url) => {
      const stray = makeMigration("0001_stray", "-- compatible from 0001\nSELECT 1;")
      await upgrade(url, own)
      await upgrade(url, [stray, ...own])
      await expect(openDatabase({ url })).rejects.toMatchObject({ migrations: ["0001_stray"] })
    }))

  it("may be one whose record is from before this was recorded", () =>
    withServer(async (url) => {
      await upgrade(url, own)
      await run(
        Effect.provide(
          Effect.flatMap(DatabaseOwner, ({ execute }) =>
            execute("ALTER TABLE parley.migrations DROP COLUMN compatible_from")
          ),
          PgDatabaseLayer({ url })
        )
      )
      expect(await pending(url, own)).toEqual([])
      expect(await upgrade(url, [...own, expand])).toEqual(["9001_expand"])
      expect(await pending(url, own)).toEqual([])
    }))
})
