import { Effect } from "effect"
import { Database, type Row } from "../../database/Database.ts"
import type { NamedDatabase } from "../Databases.ts"
import { onCell } from "./onCell.ts"

interface LedgerEnd {
  readonly number: number
  readonly digest: string
}

/** The digest of a transaction proves all before it: of the one with this number, or of the last one. */
export const ledgerAt = (owner: string, number?: number) =>
  Effect.flatMap(Database, ({ schema, statement }) =>
    Effect.map(
      statement<{ number: number; digest: string }>(
        `SELECT number, encode(digest, 'hex') AS digest FROM ${schema}.credit_transactions
         WHERE user_id = $1 AND ($2::bigint IS NULL OR number = $2) ORDER BY number DESC LIMIT 1`,
        [owner, number ?? null]
      ),
      ([row]): LedgerEnd | undefined => row
    )
  )

/** True if the ledger that was left in a cell is the beginning of the one at home, or was erased there. */
export const isBeginning = Effect.fnUntraced(function* (owner: string, left: NamedDatabase, home: NamedDatabase) {
  const end = yield* onCell(left, ledgerAt(owner))
  if (end === undefined || (yield* onCell(home, ledgerAt(owner))) === undefined) return true
  const there = yield* onCell(home, ledgerAt(owner, end.number))
  return there?.digest === end.digest
})

/** A ledger that a move left in a cell, and the cell in which its owner lives. */
export interface LeftLedger {
  readonly owner: string
  readonly left: NamedDatabase
  readonly home: NamedDatabase
}

interface OwnedEnd extends LedgerEnd, Row {
  readonly owner: string
}

const endsOf = (owners: ReadonlyArray<string>) =>
  Database.use(({ schema, statement }) =>
    statement<OwnedEnd>(
      `SELECT o.owner, t.number, encode(t.digest, 'hex') AS digest FROM unnest($1::text[]) AS o(owner)
       CROSS JOIN LATERAL (SELECT c.number, c.digest FROM ${schema}.credit_transactions c
         WHERE c.user_id = o.owner ORDER BY c.number DESC LIMIT 1) t`,
      [owners]
    )
  )

/** Those of the ledgers whose ends are not found at home. */
const unknownAt = (ends: ReadonlyArray<OwnedEnd>) =>
  Database.use(({ schema, statement }) =>
    Effect.map(
      statement<{ owner: string }>(
        `SELECT e.owner FROM unnest($1::text[], $2::bigint[], $3::text[]) AS e(owner, number, digest)
         WHERE NOT EXISTS (SELECT FROM ${schema}.credit_transactions t
           WHERE t.user_id = e.owner AND t.number = e.number AND encode(t.digest, 'hex') = e.digest)`,
        [ends.map(({ owner }) => owner), ends.map(({ number }) => number), ends.map(({ digest }) => digest)]
      ),
      (rows) => rows.map(({ owner }) => owner)
    )
  )

/**
 * Those of the ledgers that are not the beginning of the one at home. There may be many, so that those of the same two cells
 * are compared at once, and only those that seem to differ one by one.
 */
export const differingLedgers = Effect.fnUntraced(function* <Ledger extends LeftLedger>(
  ledgers: ReadonlyArray<Ledger>
) {
  const differing: Array<Ledger> = []
  const byCells = Map.groupBy(ledgers, ({ home, left }) => JSON.stringify([left.name, home.name]))
  for (const some of byCells.values()) {
    const [first] = some
    if (first === undefined) continue
    const { home, left } = first
    const ends = yield* onCell(left, endsOf(some.map(({ owner }) => owner)))
    const suspects = new Set(ends.length === 0 ? [] : yield* onCell(home, unknownAt(ends)))
    for (const ledger of some) {
      if (suspects.has(ledger.owner) && !(yield* isBeginning(ledger.owner, left, home))) differing.push(ledger)
    }
  }
  return differing
})
