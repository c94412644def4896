import { Effect } from "effect"
import { forPurpose } from "../../database/limits.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import type { MoveSql } from "../directory/moveSql.ts"
import type { Split, SplitSql } from "../directory/splitSql.ts"
import { enableFence } from "../moving/fence.ts"
import type { Cell } from "../moving/ownerTables.ts"
import { freezeOwners } from "./freezeOwners.ts"
import { makeCell } from "./makeCell.ts"
import { checkApart, checkReplica, promote, stateOf, waitForFrozen } from "./replica.ts"
import { settleBuckets, settleLeft, settleTaken } from "./settleSplits.ts"
import { SplitRefused } from "./splitErrors.ts"

/**
 * The split of a cell: a streaming replica of its database becomes another cell, with the people of some buckets. Each step is
 * one transaction of one database, or can be repeated:
 *
 * 1. The directory notes the split, and raises the version of the buckets. From now on, neither these nor their people change
 *    their cell in another way.
 * 2. The source refuses the writes of the people of the buckets, and then writes the version of the split into
 *    `this_cell.frozen`. A replica applies the log in its order, so a copy with this version has all rows of these people.
 * 3. The replica receives the version, and is promoted.
 * 4. In one transaction, the copy accepts the writes of these people, refuses those of all others, and gets an id of its own.
 *    No process uses the copy before the next step.
 * 5. The directory makes the copy a cell, and gives it the buckets, if the split is still noted. This is the only step that
 *    decides.
 * 6. The source marks the people as moved. Both cells erase the other one's people later (`eraseMoved`).
 *
 * A cancellation removes the row of the split from the directory, and so does the end: exactly one of them takes place. The same
 * call continues a split that was interrupted, and `settleSplits` cancels it. A replica that was promoted cannot be used after a
 * cancellation.
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

/** Pseudonyms of erased people stay. Those from before there were cells have no placement, and get one. */
const keepPseudonyms = Effect.fnUntraced(function* ({ buckets, directory, source }: SplitInput) {
  const { schema, statement } = source.database
  const pseudonyms = yield* statement<{ person: string }>(
    `SELECT user_id AS person FROM ${schema}.credit_accounts
     WHERE starts_with(user_id, 'erased:') AND ${bucketSql("user_id")} = ANY ($1::integer[])`,
    [buckets]
  )
  for (const { person } of pseudonyms) yield* directory.replace(person, 0, source.id)
})

/** Fails if the split was cancelled: that happens if the process of its command was stopped for minutes. */
const checkNoted = (input: SplitInput, split: Split) =>
  Effect.flatMap(input.splits.touch(split), (isNoted) => (isNoted ? Effect.void : refused(input, "cancelled")))

/**
 * Fails if the copy has the version of the split and the source lacks it: after a failover, another server is the source. It lacks
 * the last transactions, and people may have written there since.
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
  const id = yield* makeCell(target, split, yield* checkApart(source, target))
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
 * Splits a cell, or does the last step of a split that has ended. If it fails while the target is a replica, it cancels the
 * split, and all people write in the source again. If it fails later, the same call continues the split.
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
      // Another process with the same command may have ended the split.
      Effect.catchTag("SplitRefused", (error) =>
        Effect.flatMap(isEnded(input), (ended) => (ended ? Effect.undefined : Effect.fail(error)))
      )
    )
    yield* id === undefined ? settle(input) : end(input, split, id)
  }).pipe(forPurpose("building"))
