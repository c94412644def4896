import { Effect } from "effect"
import { forPurpose } from "../../database/limits.ts"
import type { MoveSql } from "../directory/moveSql.ts"
import type { Split, SplitSql } from "../directory/splitSql.ts"
import { enableFence } from "../moving/fence.ts"
import type { Cell } from "../moving/ownerTables.ts"
import { freezeOwners } from "./freezeOwners.ts"
import { makeCell } from "./makeCell.ts"
import { checkReplica, promote, stateOf, waitForFrozen } from "./replica.ts"
import { settleBuckets, settleLeft, settleTaken } from "./settleSplits.ts"
import { SplitRefused } from "./splitErrors.ts"

/**
 * The split of a cell: a streaming replica of its database becomes another cell, with the people of some buckets. Each step is
 * one transaction of one database, or can be repeated:
 *
 * 1. The directory notes the split, and raises the version of the buckets. From now on, neither these nor their people change
 *    their cell in another way.
 * 2. The source refuses the writes of the people of the buckets, and then has a note that all of them stand still. A copy
 *    that has the note has all of their rows, because the log of the database has an order.
 * 3. The replica has the note, and is promoted.
 * 4. The copy accepts the writes of these people and leaves out all others, under an id of its own, in one transaction.
 *    Nobody uses it yet.
 * 5. The directory makes the copy a cell, and gives it the buckets, if the split is still noted. This is the only step that
 *    decides.
 * 6. The source marks the people as moved. Both cells erase the other one's people later (`eraseMoved`).
 *
 * A cancellation removes the note of the directory. So of an end and a cancellation exactly one takes place. A split that was
 * interrupted is continued by the same call, or cancelled by `settleSplits`; its replica can then not be used if it was
 * promoted.
 */
export interface SplitInput {
  readonly source: Cell
  readonly target: Cell
  readonly buckets: ReadonlyArray<number>
  readonly directory: Pick<MoveSql, "buckets" | "replace">
  readonly splits: SplitSql
  readonly onStep?: (step: SplitStep) => Effect.Effect<void>
  /** Runs if the operator has to promote the replica. */
  readonly onWait?: Effect.Effect<void>
}

export type SplitStep = "checked" | "noted" | "frozen" | "followed" | "promoted" | "made" | "placed" | "settled"

/** The time between two signs of life; well below the age at which servers cancel a split. */
const YOUNG = "20 seconds"

const refused = ({ source, target }: SplitInput, problem: SplitRefused["problem"]) =>
  new SplitRefused({ problem, cell: source.id, target: target.id })

/** Fails if the split cannot begin. Changes nothing. */
export const checkSplit = (input: SplitInput) =>
  Effect.gen(function* () {
    const { buckets, directory, source, splits, target } = input
    if ((yield* splits.cell(target.id)) !== undefined) return yield* refused(input, "is-cell")
    const own = (yield* directory.buckets(buckets)).filter(({ cell }) => cell === source.id)
    if (buckets.length === 0 || own.length < buckets.length) return yield* refused(input, "not-buckets")
    yield* checkReplica(source, target)
  }).pipe(forPurpose("building"))

/** Pseudonyms of erased people do not go along. Those of before there were cells have no placement yet. */
const keepPseudonyms = Effect.fnUntraced(function* ({ buckets, directory, source, splits }: SplitInput) {
  const placed = new Set((yield* splits.placedIn(buckets)).map(({ owner }) => owner))
  for (const pseudonym of yield* pseudonymsIn(source))
    if (!placed.has(pseudonym)) yield* directory.replace(pseudonym, 0, source.id)
})

const pseudonymsIn = ({ database: { schema, statement } }: Cell) =>
  Effect.map(
    statement<{ person: string }>(
      `SELECT user_id AS person FROM ${schema}.credit_accounts WHERE starts_with(user_id, 'erased:')`
    ),
    (rows) => rows.map(({ person }) => person)
  )

/** Fails if the split was cancelled: the process of its command may have stood still for minutes. */
const checkNoted = (input: SplitInput, split: Split) =>
  Effect.flatMap(input.splits.touch(split), (isNoted) => (isNoted ? Effect.void : refused(input, "cancelled")))

/**
 * Fails if the source has not the note of the frozen owners, which the copy has: another server with fewer transactions has
 * become the source, and people have written there.
 */
const checkSource = Effect.fnUntraced(function* (input: SplitInput, split: Split) {
  const [own, copy] = [yield* stateOf(input.source), yield* stateOf(input.target)]
  if (copy?.frozen === split.version && own?.frozen !== split.version) return yield* refused(input, "source-lost")
})

/** The steps until the copy can become a cell. Returns its id. */
const prepare = Effect.fnUntraced(function* (input: SplitInput, split: Split) {
  const { onStep, onWait = Effect.void, source, splits, target } = input
  const step = (name: SplitStep) => onStep?.(name) ?? Effect.void
  yield* step("noted")
  yield* checkNoted(input, split)
  yield* checkSource(input, split)
  yield* freezeOwners(source, split, yield* splits.placedIn(split.buckets))
  yield* step("frozen")
  yield* waitForFrozen(target, split)
  yield* step("followed")
  yield* checkNoted(input, split)
  yield* promote(target, onWait)
  yield* step("promoted")
  const sourceId = (yield* stateOf(source))?.id ?? ""
  const id = yield* makeCell(target, split, sourceId)
  yield* step("made")
  yield* checkSource(input, split)
  return id
})

/** Ends a split whose copy is ready. */
const end = Effect.fnUntraced(function* (input: SplitInput, split: Split, id: string) {
  const { onStep, splits, target } = input
  const step = (name: SplitStep) => onStep?.(name) ?? Effect.void
  yield* splits.end(split, id)
  if ((yield* splits.cell(target.id))?.id !== id) return yield* refused(input, "cancelled")
  yield* step("placed")
  yield* settle(input)
  yield* step("settled")
})

/** The last step, in both cells. */
const settle = ({ directory, source, splits, target }: SplitInput) =>
  Effect.andThen(settleTaken(splits, target), settleLeft(directory, source))

/** True if the directory has made the target a cell by a split of the source. */
export const isEnded = Effect.fnUntraced(function* ({ source, splits, target }: SplitInput) {
  const [known, copy] = [yield* splits.cell(target.id), yield* stateOf(target)]
  return copy !== undefined && known?.id === copy.id && copy.copyOf === source.id
})

/**
 * Splits a cell, or does the last step of a split that has ended. If it fails while the target is a replica, the split is
 * cancelled, and everybody writes in the source again. Later the same call continues it.
 */
export const splitCell = (input: SplitInput) =>
  Effect.gen(function* () {
    const { buckets, directory, onStep, source, splits, target } = input
    if (yield* isEnded(input)) return yield* settle(input)
    const isNoted = (yield* splits.underWay).some((known) => known.source === source.id && known.target === target.id)
    if (!isNoted) {
      yield* checkSplit(input)
      yield* enableFence(source)
      yield* keepPseudonyms(input)
    }
    yield* onStep?.("checked") ?? Effect.void
    const split = yield* splits.begin(source.id, target.id, buckets)
    if (split === undefined) return yield* refused(input, "not-buckets")
    const cancel = Effect.gen(function* () {
      if ((yield* stateOf(target))?.isReplica !== true) return
      yield* splits.cancel(split)
      yield* settleBuckets(directory, source, split.buckets)
    })
    const young = Effect.forever(Effect.delay(Effect.ignore(splits.touch(split)), YOUNG))
    const id = yield* Effect.onError(Effect.raceFirst(prepare(input, split), young), () => Effect.ignore(cancel)).pipe(
      // The same command may have run twice.
      Effect.catchTag("SplitRefused", (error) =>
        Effect.flatMap(isEnded(input), (ended) => (ended ? Effect.undefined : Effect.fail(error)))
      )
    )
    yield* id === undefined ? settle(input) : end(input, split, id)
  }).pipe(forPurpose("building"))
