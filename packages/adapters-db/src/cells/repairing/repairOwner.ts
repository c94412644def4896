import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { moveSql, type Placement } from "../directory/moveSql.ts"
import { cellOf, type NamedDatabase, type OpenedCells } from "../Databases.ts"
import { copyAccess } from "../moving/copyAccess.ts"
import { placeAbove, type Repair } from "./repairVersions.ts"
import { onCell } from "../administration/onCell.ts"
import { isBeginning, ledgerAt } from "../administration/leftLedgers.ts"
import type { CellFinding } from "../administration/verifyCells.ts"

/** Of two cells with equal rows of an owner, the one whose state comes first is the home. */
const STATES = ["home", "moving", "leaving", "arriving", "moved"] as const

interface Mark extends Row {
  readonly state: (typeof STATES)[number]
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
         WHERE m.version < excluded.version AND m.state IN ('home', 'leaving', 'moved') RETURNING 1`,
        [owner, isHome ? "home" : "moved", home, version, !isHome]
      )
      if (marked.length === 0) return
      yield* sql.query(
        `UPDATE ${schema}.credit_accounts SET moved = $2 WHERE user_id = $1 AND moved IS DISTINCT FROM $2`,
        [owner, isHome ? null : true]
      )
    })
  )
}

/** True if a cell takes part in a move that was not ended. */
const isMoving = ({ state }: Mark) => state === "moving" || state === "arriving"

/** The cells with a ledger of an owner, those of later moves first. */
const ledgersOf = Effect.fnUntraced(function* (cells: OpenedCells, owner: string, marks: Marks) {
  const all = [...cells.byName.values()]
  const ends = yield* Effect.forEach(all, (cell) => onCell(cell, ledgerAt(owner)))
  const rank = ({ name }: NamedDatabase) => STATES.indexOf(marks.get(name)?.state ?? "moved")
  return all
    .filter((_, at) => ends[at] !== undefined)
    .toSorted(
      (one, other) =>
        (marks.get(other.name)?.version ?? 0) - (marks.get(one.name)?.version ?? 0) || rank(one) - rank(other)
    )
})

/** The first of some cells whose ledger of an owner continues those of all others; undefined if the ledgers do not say so. */
const newestOf = Effect.fnUntraced(function* (owner: string, ledgers: ReadonlyArray<NamedDatabase>) {
  for (const home of ledgers) {
    const rests = yield* Effect.forEach(ledgers, (other) => isBeginning(owner, other, home))
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

/** The home of an owner by the rows and marks in the cells alone, for a directory that has lost moves of the owner. */
const homeAnew = Effect.fnUntraced(function* (
  cells: OpenedCells,
  { cells: names, directory, owner }: CellFinding,
  marks: Marks,
  ledgers: ReadonlyArray<NamedDatabase>
) {
  if (ledgers.length > 0) return yield* newestOf(owner, ledgers)
  const [name] = names.toSorted((one, other) => (marks.get(other)?.version ?? 0) - (marks.get(one)?.version ?? 0))
  const home = [...marks].find(([, own]) => own?.state === "home")?.[0]
  return cells.byName.get(name ?? home ?? directory ?? "")
})

/** The home of an owner whose moves the directory knows. */
const homeOf = Effect.fnUntraced(function* (
  cells: OpenedCells,
  finding: CellFinding,
  marks: Marks,
  placement: Placement
) {
  const { cells: names, owner, problem } = finding
  if (problem === "differs") return undefined
  if (problem === "lost") return lastOf(cells, finding, marks)
  // The owner has moved since the rows were read.
  if (names.some((name) => marks.get(name)?.state === "moved")) return undefined
  const homes = names.flatMap((name) => cells.byName.get(name) ?? [])
  if (problem === "elsewhere") return homes[0]
  const newest = yield* newestOf(
    owner,
    homes.toSorted((one, other) => Number(other.name === placement.cell) - Number(one.name === placement.cell))
  )
  return newest?.name === placement.cell && marks.get(placement.cell)?.state === "home" ? newest : undefined
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
  const { cells: names, owner } = finding
  const { database } = cellOf(global)
  const directory = moveSql(database)
  // Before the marks: a move that has begun since then has raised the version of the placement.
  const placement = yield* directory.placement(owner)
  const all = [...cells.byName.values()]
  const marks: Marks = new Map(
    yield* Effect.forEach(all, (cell) => Effect.map(markOf(cell, owner), (own) => [cell.name, own] as const))
  )
  const found = [...marks.values()].filter((own) => own !== undefined)
  const isKnown = (own: Mark) => own.version <= placement.version
  // `finishMoves` ends a move that the directory knows; a move that it does not know ends after the owner is placed. While
  // the directory is older, no move can change it, so its owner is placed in any case.
  // A split ends by its command, or is cancelled.
  if (!isOlder && found.some((own) => own.state === "leaving" || (isMoving(own) && isKnown(own)))) return undefined
  const isAnew = isOlder || !found.every(isKnown)
  const ledgers = isAnew ? yield* ledgersOf(cells, owner, marks) : []
  const home = yield* isAnew ? homeAnew(cells, finding, marks, ledgers) : homeOf(cells, finding, marks, placement)
  if (home === undefined) return undefined
  yield* isOlder
    ? placeAbove(database, owner, placement, home.name, version)
    : directory.replace(owner, placement.version, home.name)
  const placed = yield* directory.placement(owner)
  if (placed.cell !== home.name || placed.version <= placement.version) return undefined
  const others = all.filter((cell) => cell !== home)
  for (const cell of others) yield* copyAccess(cellOf(cell), cellOf(home), { owner })
  for (const cell of others) if (names.includes(cell.name) || ledgers.includes(cell)) yield* mark(cell, owner, placed)
  yield* mark(home, owner, placed)
  return home.name
})
