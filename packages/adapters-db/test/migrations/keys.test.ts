import type { Run } from "@parley/core/testing"
import { suiteOn } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { loadMigrations } from "../../src/migrations/Migration.ts"
import { databases } from "../databases.ts"

interface Key {
  readonly table: string
  readonly key: string
  readonly columns: ReadonlyArray<string>
}

/** Every unique key, primary keys included, of the tables that say whose their rows are. */
const uniqueKeys = Database.use(({ schema, statement }) =>
  statement<{ table: string; key: string; columns: ReadonlyArray<string> }>(
    `SELECT c.relname AS table, k.relname AS key, array_agg(a.attname::text ORDER BY p.place) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class k ON k.oid = i.indexrelid
     CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS p(number, place)
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number
     WHERE c.relnamespace = to_regnamespace($1) AND i.indisunique
       AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'user_id')
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [schema]
  )
)

const keys = (run: Run<Database | DatabaseOwner>) => {
  it("every unique key of what belongs to a person begins with the person", () =>
    run(
      Effect.gen(function* () {
        const found: ReadonlyArray<Key> = yield* uniqueKeys
        const tables = new Set(found.map(({ table }) => table))
        expect([...tables]).toEqual(expect.arrayContaining(["chats", "messages", "credit_transactions", "passages"]))
        expect(found.filter(({ columns }) => columns[0] !== "user_id")).toEqual([])
      })
    ))

  it("every table of what belongs to people can be divided by person, with its keys and checks as they are", () =>
    run(
      Effect.gen(function* () {
        const { asOwner } = yield* DatabaseOwner
        const { schema } = yield* Database
        const tables = new Set((yield* uniqueKeys).map(({ table }) => table))
        for (const table of tables) {
          yield* asOwner(({ script }) =>
            script(
              `CREATE TABLE ${schema}.divided (LIKE ${schema}.${table} INCLUDING ALL) PARTITION BY HASH (user_id);` +
                `CREATE TABLE ${schema}.part PARTITION OF ${schema}.divided FOR VALUES WITH (MODULUS 4, REMAINDER 0);` +
                `DROP TABLE ${schema}.divided`
            )
          )
        }
      })
    ))
}

describe("what a planner of distributed tables refuses", () => {
  it.each([
    ["concat_ws", /\bconcat_ws\(/i],
    ["the clock of the moment in an upsert", /\bDO UPDATE\b[^;]*\bclock_timestamp\(/i]
  ])("is in no migration: %s", async (_what, refused) => {
    const migrations = await loadMigrations()
    expect(migrations.length).toBeGreaterThan(5)
    expect(migrations.filter(({ text }) => refused.test(text)).map(({ id }) => id)).toEqual([])
  })
})

for (const { name, layer } of databases) suiteOn(`the keys of the tables on ${name}`, layer, keys)
