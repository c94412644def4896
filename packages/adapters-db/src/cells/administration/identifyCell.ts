import { Effect } from "effect"
import { Database, DatabaseError, type Row } from "../../database/Database.ts"
import { Databases, inDatabase, type NamedDatabase } from "../Databases.ts"
import { versionSql } from "../directory/directorySql.ts"
import { CellRefused } from "./cellErrors.ts"
import { differenceFrom, type FoundIdentity, identitySql, NO_TABLE, otherCell } from "./ExpectedCell.ts"

interface KnownCell extends Row {
  readonly directory: string
  readonly version: number
  readonly isRegistered: boolean
  /** Null before a database got the name. */
  readonly id: string | null
}

/** The directory and its row of a cell; undefined before the directory has begun. */
export const knownCell = (global: NamedDatabase, name: string) =>
  inDatabase(
    global,
    Effect.flatMap(Database, ({ schema, statement }) =>
      Effect.map(
        statement<KnownCell>(
          `SELECT d.id AS directory, ${versionSql(schema)} AS version, c.name IS NOT NULL AS "isRegistered", c.database_id AS id
           FROM ${schema}.directory d LEFT JOIN ${schema}.cells c ON c.name = $1`,
          [name]
        ),
        ([row]) => row
      )
    )
  )

/** The reason why the connection of a statement was refused, or else the error itself. */
export const refusalOf = <E>(error: E): CellRefused | E =>
  error instanceof DatabaseError && error.cause instanceof CellRefused ? error.cause : error

/** The identity of a database; undefined if it has none, or its schema is older. */
export const foundIn = (cell: NamedDatabase) =>
  inDatabase(
    cell,
    Effect.flatMap(Database, ({ schema, statement }) =>
      Effect.map(statement<FoundIdentity>(identitySql(schema)), ([row]) => row)
    )
  ).pipe(
    Effect.catchTag("DatabaseError", (error) => {
      if (NO_TABLE.includes(error.sqlState ?? "")) return Effect.undefined
      return Effect.fail(refusalOf(error))
    })
  )

/** A cell that does not answer in this time is not asked. */
const WITHIN = "3 seconds"

/** The highest version of the directory that cells have seen, of those that answer. */
export const seenBy = (cells: Iterable<NamedDatabase>): Effect.Effect<number> =>
  Effect.map(
    Effect.forEach(
      cells,
      (cell) =>
        foundIn(cell).pipe(
          Effect.map((found) => found?.seen ?? 0),
          Effect.timeout(WITHIN),
          Effect.orElseSucceed(() => 0)
        ),
      { concurrency: "unbounded" }
    ),
    (versions) => Math.max(0, ...versions)
  )

/** Fails if the directory is older than a version that the cell has seen. */
const checkAge = Effect.fnUntraced(function* ({ name }: NamedDatabase, seen: number) {
  const { cells, global } = yield* Databases
  if (seen <= ((yield* knownCell(global, name))?.version ?? 0)) return
  // From now on, this process refuses all requests until the directory is repaired.
  cells?.directory.requireVersion(seen)
  return yield* new CellRefused({ problem: "older-directory", cell: name, names: [] })
})

/**
 * Checks that a database is the one to which the directory gave the name of the cell; one without a name passes if the
 * directory gave it to none. From then on, connections to any other database are refused. Returns the version of the
 * directory that the cell has seen.
 */
export const checkIdentity = Effect.fnUntraced(function* (cell: NamedDatabase) {
  const { cells, global } = yield* Databases
  const { name } = cell
  if (cells?.configured.get(name) !== cell) return 0
  const known = yield* knownCell(global, name)
  if (known === undefined) return 0
  const { directory, id } = known
  if (id === null) cell.expected?.expectDirectory(directory)
  else cell.expected?.expect({ id, directory, name })
  const found = yield* foundIn(cell)
  // Without an id, a database may have the name already, and no other has it: the process that named it was interrupted.
  const difference =
    id === null ? found && otherCell(name, directory, found) : differenceFrom(name, { directory, name, id }, found)
  if (difference !== undefined) return yield* difference
  return found?.seen ?? 0
})

/** Checks the identity of a cell's database, and that the directory is not older than one that the cell has seen. */
export const checkCell = (cell: NamedDatabase) => Effect.flatMap(checkIdentity(cell), (seen) => checkAge(cell, seen))

/** Gives the database of a registered cell the cell's name if it has none, and checks it. Its schema is up to date. */
export const nameCell = Effect.fnUntraced(function* (cell: NamedDatabase) {
  yield* checkCell(cell)
  const { cells, global } = yield* Databases
  const { name } = cell
  const known = cells?.configured.get(name) === cell ? yield* knownCell(global, name) : undefined
  if (known?.isRegistered !== true || known.id !== null) return
  yield* inDatabase(
    cell,
    Effect.flatMap(Database, ({ schema, statement }) =>
      statement(`INSERT INTO ${schema}.this_cell (directory, name) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
        known.directory,
        name
      ])
    )
  ).pipe(Effect.mapError(refusalOf))
  // Another process may have given the database another name just now.
  yield* checkIdentity(cell)
  const id = (yield* foundIn(cell))?.id
  yield* inDatabase(
    global,
    Effect.flatMap(Database, ({ schema, statement }) =>
      statement(`UPDATE ${schema}.cells SET database_id = $2 WHERE name = $1 AND database_id IS NULL`, [name, id])
    )
  )
  yield* checkCell(cell)
})

/** Reads which of the process's cells are in the directory. Does nothing if the directory does not answer. */
export const noteCells = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells !== undefined) cells.directory.noteCells((yield* cells.sql.list).map(({ name }) => name))
}).pipe(Effect.ignore)

/**
 * Fails if the configuration lacks a cell in which the directory has people: reports would be wrong without it. From then
 * on, the process knows which of its cells are in the directory.
 */
export const checkConfigured = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  const listed = yield* cells.sql.list
  for (const { buckets, name, placements } of listed) {
    if (cells.configured.has(name) || buckets + placements === 0) continue
    return yield* new CellRefused({ problem: "left-out", cell: name, names: [...cells.configured.keys()] })
  }
  cells.directory.noteCells(listed.map(({ name }) => name))
})

/** Fails if a database that is opened alone is a cell whose directory is elsewhere: it has some of the people only. */
export const checkAlone: Effect.Effect<void, CellRefused | DatabaseError, Database> = Effect.flatMap(
  Database,
  ({ schema, statement }) =>
    Effect.flatMap(
      statement<{ name: string }>(
        `SELECT t.name FROM ${schema}.this_cell t
         WHERE NOT EXISTS (SELECT FROM ${schema}.directory d WHERE d.id = t.directory)`
      ),
      ([cell]) =>
        cell === undefined
          ? Effect.void
          : Effect.fail(new CellRefused({ problem: "alone", cell: cell.name, names: [] }))
    )
)
