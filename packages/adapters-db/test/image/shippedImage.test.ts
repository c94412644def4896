import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { openEngine } from "../../src/database/embedded/openEngine.ts"
import { pgliteDriver } from "../../src/database/embedded/PgliteDatabase.ts"
import { openRoles } from "../../src/database/openRoles.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { makeMigration } from "../../src/migrations/Migration.ts"
import { migrate, pendingMigrations } from "../../src/migrations/migrate.ts"
import { fingerprint, shippedImageFile } from "../../src/image/shippedImage.ts"
import { preparedPglite } from "../preparedPglite.ts"
import type { PgliteThread } from "../../src/database/embedded/PgliteThread.ts"

const SCHEMAS = "('parley', 'parley_boss')"

/** The objects of schemas, with their definitions, without differences of the time of creation. */
const DEFINITIONS = `
  SELECT 'column', format('%s.%s', c.oid::regclass, a.attname),
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated)
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v')
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace::regnamespace::text IN ${SCHEMAS} AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'relation', c.oid::regclass::text, concat_ws(' ', c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relacl)
  FROM pg_class c WHERE c.relnamespace::regnamespace::text IN ${SCHEMAS} AND c.relkind <> 't'
  UNION ALL SELECT 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
  WHERE (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = indexrelid) IN ${SCHEMAS}
  UNION ALL SELECT 'constraint', format('%s %s', conrelid::regclass, conname), pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace::regnamespace::text IN ${SCHEMAS}
  UNION ALL SELECT 'function', p.oid::regprocedure::text, concat_ws(' ', pg_get_functiondef(p.oid), p.proacl)
  FROM pg_proc p WHERE p.pronamespace::regnamespace::text IN ${SCHEMAS} AND p.prokind = 'f'
  UNION ALL SELECT 'trigger', format('%s %s', tgrelid::regclass, tgname), pg_get_triggerdef(oid) FROM pg_trigger
  WHERE NOT tgisinternal
  UNION ALL SELECT 'policy', format('%s %s', polrelid::regclass, polname),
    concat_ws(' ', polcmd, polroles::regrole[], pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
  FROM pg_policy
  UNION ALL SELECT 'migration', id, checksum FROM parley.migrations
  UNION ALL SELECT 'role', rolname, concat_ws(' ', rolcanlogin, rolsuper, rolbypassrls) FROM pg_roles
  UNION ALL SELECT 'extension', extname, extversion FROM pg_extension
  ORDER BY 1, 2, 3`

const rolesOn = (thread: PgliteThread) => {
  const roles = openRoles(pgliteDriver(thread), "parley")
  return Layer.merge(Layer.succeed(Database, roles.database), Layer.succeed(DatabaseOwner, roles.owner))
}

const ask = (thread: PgliteThread, text: string) =>
  thread.ask({ kind: "query", text, params: [] }) as Promise<ReadonlyArray<Record<string, unknown>>>

describe("a new data folder", () => {
  /** The definitions that migrating makes. */
  let migrated: ReadonlyArray<Record<string, unknown>>
  let made: PgliteThread
  beforeAll(async () => {
    made = await preparedPglite()
    const whole = Effect.andThen(migrate(), () => installJobQueue)
    await Effect.runPromise(Effect.provide(whole, rolesOn(made)))
    migrated = await ask(made, DEFINITIONS)
  })
  afterAll(() => made.close())

  it("begins as the shipped image: migrated, as migrating would have made it, and migrated now", async () => {
    expect(existsSync(await shippedImageFile())).toBe(true)
    const root = mkdtempSync(join(tmpdir(), "parley-image-test-"))
    const before = Date.now()
    const thread = openEngine({ dataDir: join(root, "database") })
    try {
      const pending = await Effect.runPromise(Effect.provide(pendingMigrations(), rolesOn(thread)))
      expect(pending).toEqual([])
      // Nothing but the image has no templates: it was begun as that, and not made here.
      expect(await ask(thread, "SELECT datname FROM pg_database")).toEqual([{ datname: "postgres" }])
      const [applied] = await ask(thread, "SELECT min(applied_at) AS first FROM parley.migrations")
      expect((applied?.["first"] as Date).getTime()).toBeGreaterThanOrEqual(before - 1)
      expect(readdirSync(root)).toEqual(["database"])

      expect(await ask(thread, DEFINITIONS)).toEqual(migrated)
    } finally {
      await thread.close()
      rmSync(root, { recursive: true, force: true })
    }
  })

  it("in memory begins as the same, and leaves nothing on the disk", async () => {
    const before = Date.now()
    const thread = openEngine({})
    try {
      expect(await Effect.runPromise(Effect.provide(pendingMigrations(), rolesOn(thread)))).toEqual([])
      expect(await ask(thread, "SELECT datname FROM pg_database")).toEqual([{ datname: "postgres" }])
      const [applied] = await ask(thread, "SELECT min(applied_at) AS first FROM parley.migrations")
      expect((applied?.["first"] as Date).getTime()).toBeGreaterThanOrEqual(before - 1)
      expect(await ask(thread, DEFINITIONS)).toEqual(migrated)
    } finally {
      await thread.close()
    }
  })

  it("in memory is each one's own: what one writes, another does not see", async () => {
    const [one, other] = [openEngine({}), openEngine({})]
    try {
      await one.ask({ kind: "script", text: "CREATE TABLE parley.mine AS SELECT 1 AS number; CHECKPOINT" })
      expect(await ask(one, "SELECT number FROM parley.mine")).toEqual([{ number: 1 }])
      expect(await ask(other, "SELECT to_regclass('parley.mine') AS found")).toEqual([{ found: null }])
    } finally {
      await Promise.all([one.close(), other.close()])
    }
  })

  it("of another schema is made empty, and holds none that was not asked for", async () => {
    const root = mkdtempSync(join(tmpdir(), "parley-image-test-"))
    const threads = [openEngine({ dataDir: join(root, "database"), schema: "mine" }), openEngine({ schema: "mine" })]
    try {
      for (const thread of threads) {
        expect(await ask(thread, "SELECT nspname FROM pg_namespace WHERE nspname ~ 'parley'")).toEqual([])
      }
    } finally {
      await Promise.all(threads.map((thread) => thread.close()))
      rmSync(root, { recursive: true, force: true })
    }
  })
})

describe("the shipped image", () => {
  const makers = [{ name: "@electric-sql/pglite", version: "0.5.14" }]
  const migration = makeMigration("0001_roles", "CREATE ROLE a")

  it("is of one engine and these migrations alone: a change of either, or of their order, asks for another", () => {
    const variants = [
      fingerprint(makers, [migration]),
      fingerprint([{ name: "@electric-sql/pglite", version: "0.5.15" }], [migration]),
      fingerprint(makers, [makeMigration("0001_roles", "CREATE ROLE b")]),
      fingerprint(makers, [makeMigration("0002_roles", "CREATE ROLE a")]),
      fingerprint(makers, [migration, makeMigration("0002_more", "")]),
      fingerprint(makers, [makeMigration("0002_more", ""), migration])
    ]
    expect(new Set(variants).size).toBe(variants.length)
    expect(fingerprint(makers, [makeMigration("0001_roles", "CREATE ROLE a")])).toBe(variants[0])
  })

  it("adds less than two megabytes to the package", async () => {
    expect(statSync(await shippedImageFile()).size).toBeLessThan(2_000_000)
  })
})
