import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import { type CellRows, cellRows, type LinkedKey, type LinkedReference } from "./cellRows.ts"
import { takeEvents } from "./sharedRows.ts"

/** The names that the global database got from a cell. */
export interface Listed {
  readonly references: number
  readonly keys: number
  /** References of the cell's people that belong to another person by the directory. */
  readonly conflicts: ReadonlyArray<string>
}

/** Reads pages until one is empty. */
const eachPage = <Row extends LinkedReference>(
  page: (after: string) => Effect.Effect<ReadonlyArray<Row>, DatabaseError>,
  use: (rows: ReadonlyArray<Row>) => Effect.Effect<void, DatabaseError>
) =>
  Effect.gen(function* () {
    for (let after = ""; ;) {
      const rows = yield* page(after)
      const last = rows.at(-1)
      if (last === undefined) return
      yield* use(rows)
      after = last.name
    }
  })

/** Moves the events without an owner into the global database. */
const takeAll = Effect.fnUntraced(function* (global: Database["Service"], rows: CellRows) {
  for (let after = ""; ;) {
    const ids = yield* rows.ownerlessIds(after)
    const last = ids.at(-1)
    if (last === undefined) return
    yield* takeEvents(global, rows, ids)
    after = last
  }
})

/**
 * Writes the references and the keys of a cell's people into the global database if they are missing there, moves
 * events without an owner into it, and notes that the cell is listed.
 */
const listCell = Effect.fnUntraced(function* (
  global: Database["Service"],
  cell: string,
  database: Database["Service"]
) {
  const { schema, statement } = global
  const rows = cellRows(database)
  let [references, keys] = [0, 0]
  const conflicts: Array<string> = []
  yield* eachPage<LinkedReference>(rows.references, (linked) => {
    const lists = [linked.map(({ name }) => name), linked.map(({ owner }) => owner)]
    const added = `INSERT INTO ${schema}.payment_owners AS o (reference, owner)
      SELECT g.reference, g.owner FROM unnest($1::text[], $2::text[]) AS g(reference, owner)
      WHERE NOT EXISTS (
        SELECT FROM ${schema}.payment_owners k WHERE k.reference = g.reference COLLATE "C" AND k.owner IS NOT NULL)
      ON CONFLICT (reference) DO UPDATE SET owner = excluded.owner WHERE o.owner IS NULL RETURNING reference`
    const others = `SELECT g.reference FROM unnest($1::text[], $2::text[]) AS g(reference, owner)
      JOIN ${schema}.payment_owners o ON o.reference = g.reference COLLATE "C" AND o.owner <> g.owner`
    return Effect.gen(function* () {
      references += (yield* statement(added, lists)).length
      for (const { reference } of yield* statement<{ reference: string }>(others, lists)) conflicts.push(reference)
    })
  })
  yield* eachPage<LinkedKey>(rows.keys, (linked) =>
    Effect.map(
      statement(
        `INSERT INTO ${schema}.bot_owners (key, owner, bot_id)
         SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[]) ON CONFLICT DO NOTHING RETURNING key`,
        [linked.map(({ name }) => name), linked.map(({ owner }) => owner), linked.map(({ botId }) => botId)]
      ),
      ({ length }) => {
        keys += length
      }
    )
  )
  if (database !== global) yield* takeAll(global, rows)
  yield* statement(`UPDATE ${schema}.cells SET listed = true WHERE name = $1`, [cell])
  return { references, keys, conflicts } satisfies Listed
})

/** Lists these cells, or those that are not listed yet. */
export const listCells = Effect.fnUntraced(function* (
  global: Database["Service"],
  databases: ReadonlyMap<string, Database["Service"]>,
  names?: ReadonlyArray<string>
) {
  const { schema, statement } = global
  const unlisted = statement<{ name: string }>(`SELECT name FROM ${schema}.cells WHERE NOT listed`)
  const listed = new Map<string, Listed>()
  for (const name of names ?? (yield* unlisted).map((cell) => cell.name)) {
    const database = databases.get(name)
    if (database !== undefined) listed.set(name, yield* listCell(global, name, database))
  }
  return listed
})
