import { Effect } from "effect"
import { type CopiedTable, copiedTables, ROW_TEXT } from "../../copying/copiedTables.ts"
import type { TableDigest } from "../../copying/Copy.ts"
import type { DatabaseError, Row, Sql } from "../../database/Database.ts"
import type { DatabaseOwner } from "../../database/DatabaseOwner.ts"
import type { Database } from "../../database/Database.ts"

/** A database of several, and its name in the directory. */
export interface Cell {
  readonly id: string
  readonly database: Database["Service"]
  readonly owner: DatabaseOwner["Service"]
}

/** A table with rows of owners. */
export interface OwnerTable extends CopiedTable {
  /** True for the rows `copied_row__` of the owner $1. */
  readonly belongs: string
  /** True for the rows `copied_row__` of the owners in the array $1. */
  readonly belongsToAny: string
  /** The column of the owner; null if the owner is that of another table's row. */
  readonly ownerColumn: string | null
  /** The quoted columns of the primary key. */
  readonly key: ReadonlyArray<string>
  /** None if each write of the table comes with one of `credit_accounts` in the same transaction. */
  readonly fences: ReadonlyArray<Fence>
  /** True if an owner may have rows in this table and in no other. */
  readonly isFirst: boolean
}

/** A trigger that refuses writes for moved owners. */
export interface Fence {
  readonly name: string
  /** The writes that it sees. */
  readonly on: string
  /** The rows that it sees; all unless given. */
  readonly when?: string
  /** The function that it runs. */
  readonly run: string
}

type OwnedBy = Pick<OwnerTable, "belongs" | "belongsToAny" | "fences" | "ownerColumn"> &
  Partial<Pick<OwnerTable, "isFirst">>

/** The two conditions, of the comparison of the owner. */
const belonging = (condition: (isOwner: string) => string): Pick<OwnerTable, "belongs" | "belongsToAny"> => ({
  belongs: condition("= $1"),
  belongsToAny: condition("= ANY ($1::text[])")
})

const fence = (run: string, on = "INSERT OR UPDATE OR DELETE"): Fence => ({ name: "fenced", run, on })
const by = (ownerColumn: string, run: string): OwnedBy => ({
  ...belonging((isOwner) => `copied_row__.${ownerColumn} ${isOwner}`),
  ownerColumn,
  fences: [fence(run)]
})
const BY_PERSON = by("user_id", "fence_person")
const BY_PAYER = by("owner", "fence_payment")
/** The ledger writes these rows only if it writes the account, which is fenced: a second look would cost every reply. */
const WITH_ACCOUNT: OwnedBy = { ...BY_PERSON, fences: [], isFirst: false }
/** Large tables without foreign keys: their rows come with those of documents and of "index_statistics". */
const OF_INDEX: OwnedBy = { ...BY_PERSON, isFirst: false }

/** Tables whose owner is not in "user_id", or that have a fence of their own. `schema` is quoted. */
const others = (schema: string): Readonly<Record<string, OwnedBy>> => ({
  // The row itself says if its owner was moved, so that a reply costs no look-up.
  credit_accounts: {
    ...BY_PERSON,
    fences: [
      fence("fence_person", "INSERT OR DELETE"),
      { name: "fenced_update", run: "fence_person", on: "UPDATE", when: "OLD.moved" }
    ]
  },
  credit_idempotency: WITH_ACCOUNT,
  credit_purchases: WITH_ACCOUNT,
  credit_transactions: WITH_ACCOUNT,
  credit_usage: WITH_ACCOUNT,
  postings: OF_INDEX,
  term_statistics: OF_INDEX,
  // A hold begins and ends with a write of its account, and is renewed without one.
  credit_holds: { ...BY_PERSON, fences: [fence("fence_person", "UPDATE")] },
  event_deliveries: by("user_id", "fence_delivery"),
  payment_events: BY_PAYER,
  payment_references: BY_PAYER,
  payment_waits: {
    ownerColumn: null,
    ...belonging(
      (isOwner) =>
        `copied_row__.event_id IN (SELECT e.event_id FROM ${schema}.payment_events e WHERE e.owner ${isOwner})`
    ),
    fences: [fence("fence_wait")]
  },
  "boss.job": by("group_id", "fence_job")
})

interface KeyRow extends Row {
  readonly sqlName: string
  readonly key: ReadonlyArray<string>
  /** The tables to which foreign keys point. */
  readonly parents: ReadonlyArray<string>
  /** True if each row points to a row of another table. */
  readonly hasParent: boolean
}

/** The primary keys and foreign keys of schema $1 and its job queue. */
const KEYS = `SELECT format('%I.%I', n.nspname, c.relname) AS "sqlName",
    ARRAY(SELECT quote_ident(a.attname) FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
      WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.place) AS key,
    ARRAY(SELECT format('%I.%I', pn.nspname, p.relname) FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid
      JOIN pg_namespace pn ON pn.oid = p.relnamespace WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid)
      AS parents,
    EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid
      AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (k.conkey) AND NOT a.attnotnull))
      AS "hasParent"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ($1::text, $1::text || '_boss') AND c.relkind IN ('r', 'p') AND NOT c.relispartition`

/** The tables in an order in which each follows the tables to which its rows point. */
const parentsFirst = (tables: ReadonlyArray<OwnerTable>, keys: ReadonlyMap<string, KeyRow>) => {
  const byName = new Map(tables.map((table) => [table.sqlName.replaceAll('"', ""), table]))
  const ordered = new Set<OwnerTable>()
  const add = (table: OwnerTable): void => {
    if (ordered.has(table)) return
    for (const parent of keys.get(table.sqlName.replaceAll('"', ""))?.parents ?? []) {
      const found = byName.get(parent.replaceAll('"', ""))
      if (found !== undefined) add(found)
    }
    ordered.add(table)
  }
  for (const table of tables) add(table)
  return [...ordered]
}

/** The tables whose rows move with their owner, parents first. Unlogged tables are counters, and stay. */
export const ownerTables = Effect.fnUntraced(function* (sql: Sql, schema: string, schemaName: string) {
  const named = others(schema)
  const rows = yield* sql.query<KeyRow>(KEYS, [schemaName])
  const keys = new Map(rows.map((row) => [row.sqlName.replaceAll('"', ""), row]))
  const tables = (yield* copiedTables(sql, schemaName)).flatMap((table): ReadonlyArray<OwnerTable> => {
    const owned = named[table.name] ?? (table.columns.includes('"user_id"') ? BY_PERSON : undefined)
    if (owned === undefined) return []
    const { hasParent = false, key = [] } = keys.get(table.sqlName.replaceAll('"', "")) ?? {}
    return [{ ...table, isFirst: !hasParent, ...owned, key }]
  })
  return parentsFirst(tables, keys)
})

interface OwnedDigestRow extends Row {
  readonly name: string
  readonly rows: number
  readonly digest: string
  readonly longest: number
}

/** The digest of an owner's rows in a table, and the length of the longest row in characters. */
export interface OwnedDigest extends TableDigest {
  readonly longest: number
}

/** The digests of an owner's rows by table, in one statement. Tables without rows of the owner are left out. */
export const ownedDigests = (
  sql: Sql,
  tables: ReadonlyArray<OwnerTable>,
  owner: string
): Effect.Effect<ReadonlyMap<string, OwnedDigest>, DatabaseError> => {
  const each = tables.map(
    ({ belongs, sqlName }, place) =>
      `SELECT ${place} AS place, count(*) AS rows, sum(hashtextextended(row, 0)::numeric)::text AS digest, max(length(row)) AS longest
      FROM (SELECT ${ROW_TEXT} AS row FROM ${sqlName} AS copied_row__ WHERE ${belongs}) AS texts HAVING count(*) > 0`
  )
  return Effect.map(
    sql.query<OwnedDigestRow & { place: number }>(each.join(" UNION ALL "), [owner]),
    (found) =>
      new Map(
        found.map(({ digest, longest, place, rows }) => [
          tables[place]?.name ?? "",
          { rows: Number(rows), digest, longest: Number(longest) }
        ])
      )
  )
}

/** The tables in which two sets of digests differ. */
export const differing = (one: ReadonlyMap<string, OwnedDigest>, other: ReadonlyMap<string, OwnedDigest>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => {
    const [left, right] = [one.get(name), other.get(name)]
    return left?.rows !== right?.rows || left?.digest !== right?.digest
  })
