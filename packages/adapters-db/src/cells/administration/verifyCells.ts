import { Effect } from "effect"
import { Database, type Row } from "../../database/Database.ts"
import { bucketOf } from "../directory/bucketOf.ts"
import type { Placement } from "../directory/moveSql.ts"
import { Databases, type NamedDatabase } from "../Databases.ts"
import { lostCells } from "./leftAlone.ts"
import { differingLedgers, type LeftLedger } from "./leftLedgers.ts"
import { onCell } from "./onCell.ts"
import { ownersIn } from "./ownersIn.ts"

/** An owner whose rows are not in one cell, the one of the directory. */
export interface CellFinding {
  readonly owner: string
  /**
   * `elsewhere`: all rows are in another cell than the directory says. `twice`: rows are in two cells, and no move left
   * them. `lost`: the cell of the directory says that the owner has moved away, or the directory does not know the last move, and
   * no other cell has rows. `differs`: the ledger that a move left behind is not the beginning of the one in the owner's cell.
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
        statement<Placement & Row & { owner: string }>(
          `SELECT owner, cell, version FROM ${schema}.placements WHERE owner = ANY($1::text[])`,
          [owners]
        ),
        (rows) => new Map(rows.map(({ owner, ...placement }) => [owner, placement]))
      )
    )
  )

interface Left {
  readonly owner: string
  readonly state: "arriving" | "leaving" | "moved" | "moving"
  readonly version: number
}

interface Place {
  /** Undefined for an owner of a bucket without a cell. */
  readonly cell: string | undefined
  readonly version: number
}

/** The owners who have moved away from a cell, or whose move has not ended yet, with the state of the move. */
const leftBehind = (owners: ReadonlyArray<string>) =>
  Effect.flatMap(Database, ({ schema, statement }) =>
    Effect.map(
      statement<Left & Row>(
        `SELECT person AS owner, state, version FROM ${schema}.moved_owners
         WHERE person = ANY($1::text[]) AND state <> 'home'`,
        [owners]
      ),
      (rows) => new Map(rows.map((row) => [row.owner, row]))
    )
  )

/** True if the directory, which is read after the marks of moves, does not know a move: it is older. */
const isUnknown = (left: Left | undefined, { version }: Place) => left !== undefined && left.version > version

/**
 * True if a cell's rows of an owner, with this state of a move, are not those of the owner's home. A move changes the directory
 * after the rows have arrived, and before it ends in the cells. If the directory does not know the move, the rows are
 * whole where it began.
 */
const isLeft = (left: Left | undefined, cell: string, place: Place) => {
  if (left === undefined || left.state === "moved") return left !== undefined
  // The end of a split gives the buckets to the target, and the people with them.
  if (left.state === "leaving") return place.cell !== cell
  return isUnknown(left, place) ? left.state === "arriving" : place.cell !== cell
}

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
  return {
    pages: pages.map((page) => ({ ...page, owners: new Set(page.owners) })),
    owners: [...owners],
    end: end?.toString()
  }
})

interface Found {
  readonly cell: NamedDatabase
  readonly left: Left | undefined
}

const homesOf = (found: ReadonlyArray<Found>, place: Place) =>
  found.flatMap(({ cell, left }) => (isLeft(left, cell.name, place) ? [] : [cell.name]))

const problemOf = (found: ReadonlyArray<Found>, place: Place): CellFinding["problem"] | undefined => {
  const homes = homesOf(found, place)
  if (homes.length > 1) return "twice"
  if (homes.length === 1) return homes[0] === place.cell ? undefined : "elsewhere"
  return found.some(({ cell, left }) => cell.name === place.cell || isUnknown(left, place)) ? "lost" : undefined
}

/**
 * Checks that each owner with rows is in one cell, and that the directory says so; and of moved owners, that the ledger
 * goes on where the move has cut it. Returns the number of owners. Every cell has to answer.
 */
export const verifyCells = Effect.fnUntraced(function* <E, R>(
  onFinding: (finding: CellFinding) => Effect.Effect<void, E, R>
) {
  const { cells, global } = yield* Databases
  if (cells === undefined) return 0
  const all = [...cells.byName.values(), ...(yield* lostCells)]
  const { buckets } = yield* onCell(global, cells.sql.read(0, 1))
  let count = 0
  for (let after: string | undefined = ""; after !== undefined;) {
    const { end, owners, pages }: Effect.Success<ReturnType<typeof pageOf>> = yield* pageOf(all, after)
    const placed = yield* placesOf(global, owners)
    const ledgers: Array<LeftLedger & { readonly place: Place }> = []
    for (const owner of owners) {
      const place: Place = placed.get(owner) ?? { cell: buckets[bucketOf(owner)], version: 0 }
      const found = pages.flatMap(({ cell, left, owners: here }) =>
        here.has(owner) ? [{ cell, left: left.get(owner) }] : []
      )
      const problem = problemOf(found, place)
      if (problem !== undefined) {
        const named = problem === "lost" ? [] : homesOf(found, place)
        yield* onFinding({ owner, problem, cells: named, directory: place.cell })
        continue
      }
      const home = place.cell === undefined ? undefined : cells.byName.get(place.cell)
      if (home === undefined) continue
      for (const { cell, left } of found) {
        if (isLeft(left, cell.name, place)) ledgers.push({ owner, left: cell, home, place })
      }
    }
    for (const { left, owner, place } of yield* differingLedgers(ledgers)) {
      // The owner may have moved since the directory was read, and written there.
      const now = (yield* placesOf(global, [owner])).get(owner)?.version ?? 0
      if (now === place.version)
        yield* onFinding({ owner, problem: "differs", cells: [left.name], directory: place.cell })
    }
    count += owners.length
    after = end
  }
  return count
})
