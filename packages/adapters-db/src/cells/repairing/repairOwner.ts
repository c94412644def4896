import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { moveSql, type Placement } from "../directory/moveSql.ts"
import { cellOf, type NamedDatabase, type OpenedCells } from "../Databases.ts"
import { copyAccess } from "../moving/copyAccess.ts"
import { placeAbove, type Repair } from "./repairVersions.ts"
import { type CellFinding, isBeginning } from "../administration/verifyCells.ts"

interface Mark extends Row {
  readonly state: "moving" | "arriving" | "moved" | "home"
  readonly version: number
  readonly remains: boolean
}

type Marks = ReadonlyMap<string, Mark | undefined>

const markOf = (cell: NamedDatabase, owner: string) => {
  const { schema, statement } = cellOf(cell).database
  return Effect.map(
    statement<Mark>(`SELECT state, version, remains FROM ${schema}.moved_owners WHERE person = $1`, [owner]),
    ([mark]) => mark
  )
}

/**
 * Has a cell accept the owner's writes, or refuse them and have the rows erased later, since a placement. The end of a
 * move that was interrupted does so by itself.
 */
const mark = (cell: NamedDatabase, owner: string, { cell: home, version }: Placement) => {
  const { database, owner: tables } = cellOf(cell)
  const { schema } = database
  const isHome = home === cell.name
  return tables.asOwner((sql) =>
    Effect.gen(function* () {
      const marked = yield* sql.query(
        `INSERT INTO ${schema}.moved_owners AS m (person, state, cell, version, remains) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (person) DO UPDATE SET state = excluded.state, cell = excluded.cell, version = excluded.version,
           remains = excluded.remains, at = now()
         WHERE m.version < excluded.version AND m.state IN ('home', 'moved') RETURNING 1`,
        [owner, isHome ? "home" : "moved", home, version, !isHome]
      )
      if (marked.length === 0) return
      yield* sql.query(`UPDATE ${schema}.credit_accounts SET moved = $2 WHERE user_id = $1`, [
        owner,
        isHome ? null : true
      ])
    })
  )
}

/** True if a cell takes part in a move that was not ended. */
const isMoving = (mark: Mark | undefined) => mark?.state === "moving" || mark?.state === "arriving"

/** The cell whose rows of an owner are the newer ones; undefined if the ledgers do not say so. */
const newerOf = Effect.fnUntraced(function* (
  cells: OpenedCells,
  { cells: names, owner }: CellFinding,
  marks: Marks,
  placement: Placement
) {
  const homes = names.flatMap((name) => cells.byName.get(name) ?? [])
  // The owner has moved since the rows were read.
  if (homes.some(({ name }) => marks.get(name)?.state === "moved")) return undefined
  const newest = homes.toSorted(
    (one, other) => (marks.get(other.name)?.version ?? 0) - (marks.get(one.name)?.version ?? 0)
  )
  for (const home of newest) {
    const own = marks.get(home.name)
    // The rows of an owner who is moving away are whole until the target is the home.
    if (own?.state !== "home" && own?.state !== "moving") continue
    // A repair that was interrupted has placed the owner there already.
    if (own.version <= placement.version && placement.cell !== home.name) continue
    const others = homes.filter((other) => other !== home)
    const rests = yield* Effect.forEach(others, (other) => isBeginning(owner, other, home))
    if (!rests.includes(false)) return home
  }
})

/** The cell that an owner who has moved away everywhere left last, of those that have the rows still. */
const lastOf = (cells: OpenedCells, { directory = "" }: CellFinding, marks: Marks) => {
  const found = [...marks].flatMap(([name, own]) => (own === undefined ? [] : [{ name, ...own }]))
  // The owner has arrived since the rows were read.
  if (found.some(({ state }) => state === "home")) return undefined
  const [last] = found.filter(({ remains }) => remains).toSorted((one, other) => other.version - one.version)
  return cells.byName.get(last?.name ?? directory)
}

const homeOf = Effect.fnUntraced(function* (
  cells: OpenedCells,
  finding: CellFinding,
  marks: Marks,
  placement: Placement
) {
  const [name = ""] = finding.cells
  if (finding.problem === "twice") return yield* newerOf(cells, finding, marks, placement)
  if (finding.problem === "lost") return lastOf(cells, finding, marks)
  // The owner has moved since the rows were read.
  return marks.get(name)?.state === "moved" ? undefined : cells.byName.get(name)
})

/**
 * Places the owner of a finding where the rows are. Returns the cell; undefined if nothing was changed, because the owner
 * is being moved or has moved meanwhile, or because the rows do not say which ones are the right ones.
 */
export const repairOwner = Effect.fnUntraced(function* (
  cells: OpenedCells,
  global: NamedDatabase,
  { isOlder, version }: Repair,
  finding: CellFinding
) {
  const { cells: names, owner, problem } = finding
  if (problem === "differs") return undefined
  const { database } = cellOf(global)
  const directory = moveSql(database)
  // Before the marks: a move that has begun since then has raised the version of the placement.
  const placement = yield* directory.placement(owner)
  const all = [...cells.byName.values()]
  const marks: Marks = new Map(
    yield* Effect.forEach(all, (cell) => Effect.map(markOf(cell, owner), (own) => [cell.name, own] as const))
  )
  // A move that the directory knows is ended by `finishMoves`, one that it does not know only from the owner's place.
  if ([...marks.values()].some((own) => isMoving(own) && (own?.version ?? 0) <= placement.version)) return undefined
  const home = yield* homeOf(cells, finding, marks, placement)
  if (home === undefined) return undefined
  yield* isOlder
    ? placeAbove(database, owner, placement, home.name, version)
    : directory.replace(owner, placement.version, home.name)
  const placed = yield* directory.placement(owner)
  if (placed.cell !== home.name || placed.version <= placement.version) return undefined
  const others = all.filter((cell) => cell !== home)
  for (const cell of others) yield* copyAccess(cellOf(cell), cellOf(home), { owner })
  if (problem === "twice") for (const cell of others) if (names.includes(cell.name)) yield* mark(cell, owner, placed)
  yield* mark(home, owner, placed)
  return home.name
})
