import { Effect } from "effect"
import { queueVersion } from "../../copying/copiedTables.ts"
import type { DatabaseError, Row } from "../../database/Database.ts"
import type { OwnerSql } from "../../database/DatabaseOwner.ts"
import { forPurpose } from "../../database/limits.ts"
import type { MoveSql, Placement } from "../directory/moveSql.ts"
import { copyAccess } from "./copyAccess.ts"
import { copyOwner, jobTable, workOf } from "./copyOwner.ts"
import { fencedTables, unfenced, waitForRunning } from "./fence.ts"
import { MoveRefused, OwnerBusy } from "./moveErrors.ts"
import { asMover, deleteRows, fenceAccount, markArriving, markMoving, settleState } from "./ownerStates.ts"
import { type Cell, ownedDigests, type OwnerTable } from "./ownerTables.ts"

/**
 * The move of an owner from one cell to another. Each step is one transaction of one database, and can be repeated:
 *
 * 1. The move raises the version of the owner's placement, and keeps the place. So no other move or cancellation that
 *    began before can end in another way than by being refused. All states below carry the version, and no state ever
 *    goes back to a lower one.
 * 2. The target marks the owner as arriving: it refuses writes. Rows of an earlier stay or try are deleted.
 * 3. The move waits for the transactions that run in both cells, while the owner works on in the source.
 * 4. The source marks the owner as moving: it refuses writes. The move waits for the transactions that began meanwhile
 *    (`waitForRunning`) and fences the account: now the rows stand still.
 * 5. The rows are copied, compared and proven, in one transaction of the target.
 * 6. The directory places the owner in the target, if the version is still the same. This is the only step that decides.
 * 7. The target becomes the home, which ends the refusals. The source keeps a mark, and refuses writes. Its rows are
 *    erased later (`eraseMoved`).
 *
 * A cancellation raises the version and keeps the place. So of a move and its cancellation exactly one takes place, also
 * if the process of the move still runs; and every interrupted move is ended by `finishMove`.
 */
export interface MoveInput {
  readonly owner: string
  readonly from: Cell
  readonly to: Cell
  readonly directory: Pick<MoveSql, "placement" | "replace">
  /** The most time to wait for running work and running transactions before the move; 5 seconds unless given. */
  readonly patienceMs?: number | undefined
  /** Tests interrupt a move here. */
  readonly onStep?: (step: MoveStep) => Effect.Effect<void>
}

export type MoveStep =
  | "checked"
  | "claimed"
  | "arriving"
  | "cleared"
  | "calm"
  | "moving"
  | "frozen"
  | "copied"
  | "placed"
  | "home"
  | "moved"

const PATIENCE_MS = 5_000
/** The most time to wait for transactions while the owner's writes are refused. */
const FROZEN_MS = 1_000
const LOOK_MS = 50

interface Form extends Row {
  readonly migrations: ReadonlyArray<string>
}

type Tables = Effect.Success<ReturnType<typeof commonTables>>

const formOf = (cell: Cell) =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const { missing, tables } = yield* fencedTables(sql, cell)
      const [form] = yield* sql.query<Form>(
        `SELECT array_agg(id ORDER BY id) AS migrations FROM ${cell.database.schema}.migrations`
      )
      const queue = yield* queueVersion(sql, cell.owner.schemaName)
      return { tables, missing, migrations: form?.migrations ?? [], queue }
    })
  )

/** The tables whose rows move, by their names in each cell, if both have the same ones, and fences on all of them. */
const commonTables = Effect.fnUntraced(function* (from: Cell, to: Cell) {
  const [left, right] = yield* Effect.all([formOf(from), formOf(to)], { concurrency: 2 })
  const lacking = unfenced([...left.missing, ...right.missing])
  if (lacking.length > 0) return yield* new MoveRefused({ problem: "no-fence", names: lacking })
  const both = [...left.migrations, ...right.migrations]
  const other = both.filter((id) => !left.migrations.includes(id) || !right.migrations.includes(id))
  if (left.queue !== right.queue) other.push("the job queue")
  if (other.length > 0) return yield* new MoveRefused({ problem: "other-schema", names: other })
  return { source: left.tables, target: right.tables }
})

/** Waits for running work of the owner, before anything is refused; fails if it does not end. */
const waitForWork = Effect.fnUntraced(function* (
  cell: Cell,
  tables: ReadonlyArray<OwnerTable>,
  owner: string,
  boundMs: number
) {
  const until = performance.now() + boundMs
  for (;;) {
    const work = yield* cell.owner.asOwner((sql) => workOf(sql, cell.database, jobTable(tables), owner))
    if (work === undefined) return
    if (performance.now() > until) return yield* new OwnerBusy({ work })
    yield* Effect.sleep(LOOK_MS)
  }
})

const waitForTransactions = (cells: ReadonlyArray<Cell>, boundMs: number) =>
  Effect.flatMap(
    Effect.forEach(cells, (cell) => waitForRunning(cell, boundMs), { concurrency: 2 }),
    (ended) => (ended.includes(false) ? Effect.fail(new OwnerBusy({ work: "transaction" })) : Effect.void)
  )

/** Ends every state of the owner in both cells as the placement says. */
const settle = Effect.fnUntraced(function* ({ from, onStep, owner, to }: MoveInput, placement: Placement) {
  const step = (name: MoveStep) => onStep?.(name) ?? Effect.void
  const [home, other] = placement.cell === from.id ? [from, to] : [to, from]
  yield* settleState(home, owner, placement)
  yield* step("home")
  yield* settleState(other, owner, placement)
  yield* step("moved")
})

/** Ends an earlier move of the owner that was interrupted, to any cell. */
const cancel = Effect.fnUntraced(function* (input: MoveInput, { cell, version }: Placement) {
  yield* input.directory.replace(input.owner, version, cell)
  const placement = yield* input.directory.placement(input.owner)
  yield* settle(input, placement)
  return placement
})

const superseded = () => new MoveRefused({ problem: "superseded", names: [] })

/** Raises the version of the placement, and returns the new one. */
const claim = Effect.fnUntraced(function* ({ directory, from, owner }: MoveInput, { version }: Placement) {
  yield* directory.replace(owner, version, from.id)
  const claimed = yield* directory.placement(owner)
  return claimed.cell === from.id && claimed.version > version ? claimed : yield* superseded()
})

/** Stops writes of the owner in both cells, and waits until none is under way. */
const freeze = Effect.fnUntraced(function* (
  { from, onStep, owner, patienceMs = PATIENCE_MS, to }: MoveInput,
  { target }: Tables,
  version: number
) {
  const step = (name: MoveStep) => onStep?.(name) ?? Effect.void
  yield* markArriving(to, target, owner, version, from.id)
  yield* step("arriving")
  const asArriving = <A>(work: (sql: OwnerSql) => Effect.Effect<A, DatabaseError>) =>
    Effect.flatMap(asMover(to, owner, { state: "arriving", version }, work), (result) =>
      result === undefined ? Effect.fail(superseded()) : Effect.succeed(result)
    )
  yield* asArriving((sql) => Effect.as(deleteRows(sql, to.database.schema, target, [owner]), true))
  yield* step("cleared")
  yield* waitForTransactions([from, to], patienceMs)
  const present = yield* asArriving((sql) => ownedDigests(sql, target, owner))
  if (present.size > 0) return yield* new MoveRefused({ problem: "target-not-empty", names: [...present.keys()] })
  yield* step("calm")
  yield* markMoving(from, owner, version, to.id)
  yield* step("moving")
  yield* waitForTransactions([from], FROZEN_MS)
  yield* forPurpose("maintenance")(fenceAccount(from, owner, version))
  yield* step("frozen")
})

const begin = Effect.fnUntraced(function* (input: MoveInput, tables: Tables, { version }: Placement) {
  const { directory, from, onStep, owner, to } = input
  const step = (name: MoveStep) => onStep?.(name) ?? Effect.void
  yield* step("claimed")
  yield* freeze(input, tables, version)
  const rows = yield* copyOwner({ owner, from, to, ...tables, version })
  // Before the flip, because the new cell must not let a blocked person in. The source refuses changes by now.
  yield* copyAccess(from, to, { owner })
  yield* step("copied")
  yield* directory.replace(owner, version, to.id)
  const placed = yield* directory.placement(owner)
  if (placed.cell !== to.id) return yield* superseded()
  yield* step("placed")
  yield* settle(input, placed)
  return rows
})

/** What stands in the way of a move; changes nothing. */
const checked = Effect.fnUntraced(function* ({ directory, from, owner, to }: MoveInput) {
  const tables = yield* commonTables(from, to)
  const placement = yield* directory.placement(owner)
  if (placement.cell !== from.id && placement.cell !== to.id)
    return yield* new MoveRefused({ problem: "elsewhere", names: [placement.cell] })
  return { tables, placement }
})

/** The number of rows that a move would copy now, or the reason why it would be refused. */
export const countMove = (input: MoveInput) =>
  Effect.gen(function* () {
    const { from, owner } = input
    const { placement, tables } = yield* checked(input)
    if (placement.cell !== from.id) return 0
    yield* waitForWork(from, tables.source, owner, 0)
    const digests = yield* from.owner.asOwner((sql) => ownedDigests(sql, tables.source, owner))
    return [...digests.values()].reduce((sum, { rows }) => sum + rows, 0)
  }).pipe(forPurpose("building"))

/**
 * Moves an owner, and returns the number of rows; 0 if the owner lives in the target already. A move that fails is
 * cancelled. One that was interrupted is begun anew by the same call, or ended by `finishMove`.
 */
export const moveOwner = (input: MoveInput) =>
  Effect.gen(function* () {
    const { from, owner, patienceMs = PATIENCE_MS, to } = input
    const { placement, tables } = yield* checked(input)
    // An earlier move may have ended without this.
    yield* settleState(from, owner, placement)
    yield* settleState(to, owner, placement)
    if (placement.cell === to.id) return yield* Effect.as(settle(input, placement), 0)
    yield* waitForWork(from, tables.source, owner, patienceMs)
    yield* input.onStep?.("checked") ?? Effect.void
    const claimed = yield* claim(input, placement)
    // After each failure the owner lives in the cell that the directory names, and that cell accepts writes again.
    return yield* Effect.tapError(begin(input, tables, claimed), () => Effect.ignore(cancel(input, claimed)))
  }).pipe(forPurpose("building"))

/**
 * Ends an interrupted move: completes it if the directory has placed the owner in the target, and cancels it otherwise.
 * Returns where the owner lives. Also safe beside a move that still runs, which then fails.
 */
export const finishMove = (input: MoveInput) =>
  Effect.gen(function* () {
    const placement = yield* input.directory.placement(input.owner)
    if (placement.cell !== input.from.id) return yield* Effect.as(settle(input, placement), placement)
    return yield* cancel(input, placement)
  }).pipe(forPurpose("building"))
