import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { chooseVersion } from "../directory/directorySql.ts"
import { moveSql, type Placement } from "../directory/moveSql.ts"
import { cellOf, Databases, inDatabase, type NamedDatabase, type OpenedCells } from "../Databases.ts"
import { copyAccess } from "../moving/copyAccess.ts"
import { checkIdentity } from "./identifyCell.ts"
import { type CellFinding, isBeginning, verifyCells } from "./verifyCells.ts"

interface Mark extends Row {
  readonly state: "moving" | "arriving" | "moved" | "home"
  readonly version: number
}

const markOf = (cell: NamedDatabase, owner: string) => {
  const { schema, statement } = cellOf(cell).database
  return Effect.map(
    statement<Mark>(`SELECT state, version FROM ${schema}.moved_owners WHERE person = $1`, [owner]),
    ([mark]) => mark
  )
}

/** Has a cell accept the owner's writes, or refuse them and have the rows erased later, since a placement. */
const mark = (cell: NamedDatabase, owner: string, { cell: home, version }: Placement) => {
  const { database, owner: tables } = cellOf(cell)
  const { schema } = database
  const isHome = home === cell.name
  return tables.asOwner((sql) =>
    Effect.gen(function* () {
      yield* sql.query(
        `INSERT INTO ${schema}.moved_owners AS m (person, state, cell, version, remains) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (person) DO UPDATE SET state = excluded.state, cell = excluded.cell, version = excluded.version,
           remains = excluded.remains, at = now()
         WHERE m.version < excluded.version AND m.state IN ('home', 'moved')`,
        [owner, isHome ? "home" : "moved", home, version, !isHome]
      )
      yield* sql.query(`UPDATE ${schema}.credit_accounts SET moved = $2 WHERE user_id = $1`, [
        owner,
        isHome ? null : true
      ])
    })
  )
}

/** The cell whose rows of an owner are the newer ones; undefined if the ledgers do not say so. */
const newerOf = Effect.fnUntraced(function* (
  cells: OpenedCells,
  { cells: names, owner }: CellFinding,
  { version }: Placement
) {
  const homes = names.flatMap((name) => cells.byName.get(name) ?? [])
  for (const home of homes) {
    const own = yield* markOf(home, owner)
    if (own?.state !== "home" || own.version <= version) continue
    const others = homes.filter((other) => other !== home)
    const rests = yield* Effect.forEach(others, (other) => isBeginning(owner, other, home))
    if (!rests.includes(false)) return home
  }
})

/**
 * Places the owner of a finding where the rows are. Returns the cell; undefined if nothing was changed, because a move runs
 * or was interrupted, or because the rows do not say which ones are the right ones.
 */
const repairOwner = Effect.fnUntraced(function* (cells: OpenedCells, global: NamedDatabase, finding: CellFinding) {
  const { cells: names, directory: named = "", owner, problem } = finding
  if (problem === "differs") return undefined
  const directory = moveSql(cellOf(global).database)
  const placement = yield* directory.placement(owner)
  const all = [...cells.byName.values()]
  const marks = yield* Effect.forEach(all, (cell) => markOf(cell, owner))
  if (marks.some((each) => each?.state === "moving" || each?.state === "arriving")) return undefined
  const home =
    problem === "twice"
      ? yield* newerOf(cells, finding, placement)
      : cells.byName.get(problem === "lost" ? named : (names[0] ?? ""))
  if (home === undefined) return undefined
  // A move that has begun since has raised the version.
  yield* directory.replace(owner, placement.version, home.name)
  const placed = yield* directory.placement(owner)
  if (placed.cell !== home.name || placed.version <= placement.version) return undefined
  const others = all.filter((cell) => cell !== home)
  for (const cell of others) yield* copyAccess(cellOf(cell), cellOf(home), { owner })
  if (problem === "twice") for (const cell of others) if (names.includes(cell.name)) yield* mark(cell, owner, placed)
  yield* mark(home, owner, placed)
  return home.name
})

/** Has the cell of each bucket know the blocks and sign-outs of people who have nothing but these. */
const gatherAccess = Effect.fnUntraced(function* (cells: OpenedCells) {
  const { buckets } = yield* cells.sql.read(0, 1)
  for (const to of cells.byName.values()) {
    const own = buckets.flatMap((name, bucket) => (name === to.name ? [bucket] : []))
    if (own.length === 0) continue
    for (const from of cells.byName.values())
      if (from !== to) yield* copyAccess(cellOf(from), cellOf(to), { buckets: own })
  }
})

/**
 * Repairs a directory that is older than its cells: after the restore of a backup of the global database, or the loss of its
 * last changes. Gives it a version above all that the cells have seen, and places each owner where the owner's rows are. An
 * owner with rows in two cells is placed in the one to which a later move brought them, if the ledger there continues the
 * other one. Every cell has to answer. Returns the number of owners; `onFinding` also gets the cell of a repaired one.
 */
export const repairDirectory = Effect.fnUntraced(function* <E, R>(
  onFinding: (finding: CellFinding, repairedTo: string | undefined) => Effect.Effect<void, E, R>
) {
  const { cells, global } = yield* Databases
  if (cells === undefined) return 0
  const seen = yield* Effect.forEach(cells.byName.values(), checkIdentity)
  const { asService, schema } = cellOf(global).database
  yield* asService((sql) =>
    Effect.andThen(
      sql.query(`UPDATE ${schema}.directory SET version = greatest(version, $1)`, [Math.max(0, ...seen)]),
      chooseVersion(sql, schema)
    )
  )
  yield* gatherAccess(cells)
  const owners = yield* verifyCells((finding) =>
    Effect.flatMap(inDatabase(global, repairOwner(cells, global, finding)), (cell) => onFinding(finding, cell))
  )
  yield* Effect.promise(() => cells.moves.finishMoves())
  yield* cells.mend([...cells.byName.keys()])
  return owners
})
