import { Effect } from "effect"
import { Database, type Row } from "../../database/Database.ts"
import { bucketOf } from "../directory/bucketOf.ts"
import { Databases, type NamedDatabase } from "../Databases.ts"
import { onCell } from "./onCell.ts"
import { ownersIn } from "./ownersIn.ts"

/** An owner whose rows are not in one cell, the one of the directory. */
export interface CellFinding {
  readonly owner: string
  /**
   * `elsewhere`: all rows are in another cell than the directory says. `twice`: rows are in two cells, and no move left
   * them. `lost`: the cell of the directory says that the owner has moved away, and no other cell has rows. `differs`: the
   * ledger that a move left behind is not the beginning of the one in the owner's cell.
   */
  readonly problem: "elsewhere" | "twice" | "lost" | "differs"
  /** The cells with rows of the owner. */
  readonly cells: ReadonlyArray<string>
  /** The cell of the directory. */
  readonly directory: string | undefined
}

const PAGE = 1_000

/** The placements of some owners, and the buckets. */
const placesOf = (global: NamedDatabase, owners: ReadonlyArray<string>) =>
  onCell(
    global,
    Effect.flatMap(Database, ({ schema, statement }) =>
      Effect.map(
        statement<{ owner: string; cell: string }>(
          `SELECT owner, cell FROM ${schema}.placements WHERE owner = ANY($1::text[])`,
          [owners]
        ),
        (rows) => new Map(rows.map(({ cell, owner }) => [owner, cell]))
      )
    )
  )

interface Left {
  readonly owner: string
  readonly state: "arriving" | "moved" | "moving"
  /** The other cell of the move. */
  readonly other: string
}

/** The owners who have moved away from a cell, or whose move has not ended yet, with the state of the move. */
const leftBehind = (owners: ReadonlyArray<string>) =>
  Effect.flatMap(Database, ({ schema, statement }) =>
    Effect.map(
      statement<Left & Row>(
        `SELECT person AS owner, state, cell AS other FROM ${schema}.moved_owners
         WHERE person = ANY($1::text[]) AND state <> 'home'`,
        [owners]
      ),
      (rows) => new Map(rows.map((row) => [row.owner, row]))
    )
  )

/**
 * True if a cell's rows of an owner, with this state of a move, are not those of the owner's home. A move changes the directory
 * after the rows have arrived, and before it ends in the cells: until then the directory names one of the move's two cells.
 */
const isLeft = (left: Left | undefined, directory: string | undefined) =>
  left?.state === "moved" || (left !== undefined && left.other === directory)

interface LedgerEnd {
  readonly number: number
  readonly digest: string
}

/** The digest of a transaction proves all before it: of the one with this number, or of the last one. */
const ledgerAt = (owner: string, number?: number) =>
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

const pageOf = Effect.fnUntraced(function* (cells: ReadonlyArray<NamedDatabase>, after: string) {
  const pages = yield* Effect.forEach(
    cells,
    (cell) =>
      Effect.gen(function* () {
        const owners = yield* onCell(cell, ownersIn({ after, limit: PAGE }))
        return { cell, owners, left: yield* onCell(cell, leftBehind(owners)) }
      }),
    { concurrency: "unbounded" }
  )
  // Beyond the end of a full page, a cell may have more owners.
  const ends = pages.flatMap(({ owners }) => (owners.length < PAGE ? [] : [Buffer.from(owners.at(-1) ?? "")]))
  const end = ends.toSorted(Buffer.compare)[0]
  const owners = new Set(
    pages.flatMap((page) =>
      page.owners.filter((owner) => end === undefined || Buffer.compare(Buffer.from(owner), end) <= 0)
    )
  )
  return { pages, owners: [...owners], end: end?.toString() }
})

/**
 * Checks that each owner with rows is in one cell, and that the directory says so; and of moved owners, that the ledger
 * goes on where the move has cut it. Returns the number of owners. Every cell has to answer.
 */
export const verifyCells = Effect.fnUntraced(function* <E, R>(
  onFinding: (finding: CellFinding) => Effect.Effect<void, E, R>
) {
  const { cells, global } = yield* Databases
  if (cells === undefined) return 0
  const all = [...cells.byName.values()]
  const { buckets } = yield* onCell(global, cells.sql.read(0, 1))
  let count = 0
  for (let after: string | undefined = ""; after !== undefined;) {
    const { end, owners, pages }: Effect.Success<ReturnType<typeof pageOf>> = yield* pageOf(all, after)
    const placed = yield* placesOf(global, owners)
    const here = pages.map((page) => ({ ...page, owners: new Set(page.owners) }))
    for (const owner of owners) {
      const directory = placed.get(owner) ?? buckets[bucketOf(owner)]
      const inCells = here.filter((page) => page.owners.has(owner))
      const homes = inCells.filter(({ left }) => !isLeft(left.get(owner), directory)).map(({ cell }) => cell.name)
      const report = (problem: CellFinding["problem"], names: ReadonlyArray<string>) =>
        onFinding({ owner, problem, cells: names, directory })
      if (homes.length > 1) yield* report("twice", homes)
      else if (homes.length === 1 && homes[0] !== directory) yield* report("elsewhere", homes)
      else if (homes.length === 0 && inCells.some(({ cell }) => cell.name === directory)) yield* report("lost", [])
      const home = directory === undefined ? undefined : cells.byName.get(directory)
      for (const page of inCells) {
        if (
          home === undefined ||
          !isLeft(page.left.get(owner), directory) ||
          (yield* isBeginning(owner, page.cell, home))
        )
          continue
        yield* report("differs", [page.cell.name])
      }
    }
    count += owners.length
    after = end
  }
  return count
})
