import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import { type BotKeyDirectory, botKeyDirectory } from "./botKeyDirectory.ts"
import { type CellRows, cellRows } from "./cellRows.ts"
import { type PaymentDirectory, paymentDirectory } from "./paymentDirectory.ts"

/** The rows of the global database through which events and keys find their owner, and those of cells that belong to them. */
export interface SharedRows {
  readonly payments: PaymentDirectory
  readonly botKeys: BotKeyDirectory
  /** The rows of a database by its name; fails if no database has the name. */
  cell(name: string): CellRows
  /** The person who signs in with an address. */
  personOf(address: string): Effect.Effect<string | undefined, DatabaseError>
  /** Erases a person of another database from the rows that all people share. */
  erase(userId: string, pseudonym: string): Effect.Effect<void, DatabaseError>
  /** Takes those of the events over that have no owner and are in another database. */
  takeOver(place: string, eventIds: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  /** Removes names of references for which no event waits any more. */
  prune(limit: number): Effect.Effect<void, DatabaseError>
}

const done = (row: string): string => `${row}.state IN ('applied', 'ignored', 'owed')`

/** Moves those of the events that have no owner from a cell into the global database. A repetition changes nothing. */
export const takeEvents = (
  { schema, statement }: Database["Service"],
  cell: CellRows,
  eventIds: ReadonlyArray<string>
): Effect.Effect<void, DatabaseError> =>
  Effect.gen(function* () {
    const { events, waits } = yield* cell.ownerless(eventIds)
    // A waiting row of an event that the cell has done, which a process left there when it ended.
    yield* statement(
      `SELECT ${schema}.drop_payments(ARRAY(
         SELECT e.event_id FROM json_populate_recordset(NULL::${schema}.payment_events, $1::json) g
         JOIN ${schema}.payment_events e ON e.event_id = g.event_id AND e.owner IS NULL
         WHERE ${done("g")} AND NOT ${done("e")}))`,
      [events]
    )
    yield* statement(
      `INSERT INTO ${schema}.payment_events
       SELECT * FROM json_populate_recordset(NULL::${schema}.payment_events, $1::json) ON CONFLICT DO NOTHING`,
      [events]
    )
    yield* statement(
      `INSERT INTO ${schema}.payment_waits
       SELECT w.* FROM json_populate_recordset(NULL::${schema}.payment_waits, $1::json) w
       JOIN ${schema}.payment_events e ON e.event_id = w.event_id AND e.owner IS NULL AND e.state = 'waiting'
       ON CONFLICT DO NOTHING`,
      [waits]
    )
    yield* cell.drop(eventIds)
  })

/** The statements: `global` is the global database, `databases` are all databases by their names. */
export const sharedRows = (
  global: Database["Service"],
  databases: ReadonlyMap<string, Database["Service"]>
): SharedRows => {
  const { schema, statement } = global
  const rows = new Map([...databases].map(([name, database]) => [name, cellRows(database)]))
  const cell = (name: string) => {
    const found = rows.get(name)
    if (found === undefined) throw new TypeError(`No database has the name "${name}".`)
    return found
  }
  return {
    payments: paymentDirectory(global),
    botKeys: botKeyDirectory(global),
    cell,
    personOf: (address) =>
      Effect.map(
        statement<{ subject: string }>(`SELECT subject FROM ${schema}.sign_in_people WHERE email = lower($1)`, [
          address
        ]),
        ([row]) => row?.subject
      ),
    erase: (userId, pseudonym) =>
      Effect.asVoid(statement(`SELECT ${schema}.erase_shared($1, $2)`, [userId, pseudonym])),
    takeOver: (place, eventIds) => takeEvents(global, cell(place), eventIds),
    prune: (limit) =>
      Effect.asVoid(
        statement(
          `DELETE FROM ${schema}.payment_owners WHERE reference IN (
             SELECT o.reference FROM ${schema}.payment_owners o
             WHERE o.owner IS NULL AND NOT EXISTS (SELECT FROM ${schema}.payment_waits w WHERE w.reference = o.reference)
             LIMIT $1 FOR UPDATE SKIP LOCKED)`,
          [limit]
        )
      )
  }
}
