import { Context, Duration, Effect, Layer, Option, Result, Stream } from "effect"
import { TaskRuns } from "../../background/TaskRuns.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { retryThroughOutage } from "../../storage/retryStorage.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { allowancesOf } from "../../tiers/CatalogData.ts"
import { CreditLedger, CreditUpkeep } from "../CreditLedger.ts"
import { ResetTooEarly } from "../errors.ts"
import {
  addResets,
  noResets,
  type ResetChunk,
  type ResetInput,
  type ResetRange,
  resetCountOf,
  type TierResets
} from "./ResetChunk.ts"

/** The number of accounts in one transaction: small enough that other calls on these accounts do not wait for long. */
const ACCOUNTS_PER_CHUNK = 250
/** Two, so that one chunk commits while the other is computed; more chunks at once would slow down replies. */
const CHUNKS_AT_ONCE = 2
/**
 * The pause between chunks, as a share of the duration of the previous chunk: the slower the database, the longer the
 * pause.
 */
const REST = 1 / 3
/**
 * The number of rounds. An account that was busy is tried again in the next round, and left to the next run after the
 * last.
 */
const ROUNDS = 5
const BETWEEN_ROUNDS = "100 millis"
/** After this many consecutive refusals, assume a systemic fault and stop. */
const REFUSED_IN_A_ROW = 10

/** The result of a reset of one range. */
interface RangeReset extends ResetChunk {
  readonly refused: number
}

export interface ResetRun {
  /** Unix milliseconds: the time for which the reset is done; the ledger's present time unless given. */
  readonly asOf?: number | undefined
  /**
   * True if a time in the future is intended: the current period of every person would end early. A dry run does not
   * need it.
   */
  readonly early?: boolean
  /** True: counts the effects, and changes nothing. */
  readonly dryRun?: boolean
  /** Called after every chunk. */
  readonly onProgress?: (progress: ResetReport) => Effect.Effect<void>
}

/** The progress of a run. */
export interface ResetReport {
  readonly asOf: number
  readonly resetCount: number
  /**
   * Accounts that another call was writing at every attempt, or whose tier is not in the catalog: they are still due.
   */
  readonly busy: number
  /** Accounts that the storage refused to reset, because their rows contradict each other: they are still due. */
  readonly refused: number
  readonly tiers: TierResets
}

/** Resets ranges of accounts, or counts the effects of a reset. */
const makeRangeReset = (upkeep: CreditUpkeep["Service"], allowances: ResetInput["allowances"]) => {
  /**
   * Resets the accounts of a failed range one after another, so that an account that cannot be reset does not delay the
   * others.
   */
  const resetOneByOne = Effect.fnUntraced(function* (range: ResetRange, asOf: number) {
    let done: RangeReset = { tiers: noResets(allowances), busy: 0, refused: 0 }
    let inARow = 0
    let one: ResetRange | undefined
    for (let count = 0; count < ACCOUNTS_PER_CHUNK; count += 1) {
      one = yield* upkeep.due({ asOf, before: one, within: range, limit: 1 })
      if (one === undefined) break
      const reset = yield* Effect.result(upkeep.reset({ asOf, allowances, range: one, dryRun: false }))
      inARow = Result.isSuccess(reset) ? 0 : inARow + 1
      if (Result.isFailure(reset)) {
        if (reset.failure.retryable || inARow === REFUSED_IN_A_ROW) return yield* reset.failure
        done = { ...done, refused: done.refused + 1 }
      } else {
        const { busy, tiers } = reset.success
        done = { ...done, busy: done.busy + busy, tiers: addResets(done.tiers, tiers) }
      }
    }
    return done
  })

  const resetRange = (range: ResetRange, asOf: number): Effect.Effect<RangeReset, StorageFailed> =>
    upkeep.reset({ asOf, allowances, range, dryRun: false }).pipe(
      Effect.map((chunk) => ({ ...chunk, refused: 0 })),
      Effect.catchTag("StorageFailed", (error) => (error.retryable ? Effect.fail(error) : resetOneByOne(range, asOf))),
      Effect.timed,
      retryThroughOutage,
      Effect.flatMap(([took, done]) => Effect.as(Effect.sleep(Duration.times(took, REST)), done))
    )

  const countRange = (range: ResetRange, asOf: number): Effect.Effect<RangeReset, StorageFailed> =>
    Effect.map(upkeep.reset({ asOf, allowances, range, dryRun: true }), (chunk) => ({ ...chunk, refused: 0 }))

  return { countRange, resetRange }
}

/** The monthly reset of all accounts whose period is over and which no invoice renews. */
export class ResetService extends Context.Service<
  ResetService,
  {
    /**
     * Resets all due accounts, chunk by chunk. A run may be stopped at any moment and started again, or run twice at
     * once: a period is granted once. Fails with `ResetTooEarly` if `asOf` is in the future by the ledger's clock. The
     * memory used does not grow with the number of accounts. An account that cannot be reset is counted, and does not
     * delay others.
     */
    run(options?: ResetRun): Effect.Effect<ResetReport, StorageFailed | ResetTooEarly>
  }
>()("@parley/core/credits/ResetService") {
  static readonly layer = Layer.effect(
    ResetService,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const upkeep = yield* CreditUpkeep
      const runs = yield* TaskRuns
      const allowances = allowancesOf(yield* Catalog)

      const { countRange, resetRange } = makeRangeReset(upkeep, allowances)

      /**
       * Returns the next range. A run that has begun waits until an unreachable storage answers again; a run that
       * cannot read the first range fails at once.
       */
      const nextRange = (asOf: number, before: ResetRange | undefined) => {
        const due = upkeep.due({ asOf, before, limit: ACCOUNTS_PER_CHUNK })
        return before === undefined ? due : retryThroughOutage(due)
      }

      /** The ranges of accounts that are due, from the first to the last. */
      const dueRanges = (asOf: number) =>
        Stream.paginate(undefined as ResetRange | undefined, (before) =>
          Effect.map(nextRange(asOf, before), (range) => [
            range === undefined ? [] : [range],
            Option.fromUndefinedOr(range)
          ])
        )

      const round = (before: ResetReport, options: ResetRun) => {
        const { asOf } = before
        const work = options.dryRun === true ? countRange : resetRange
        return dueRanges(asOf).pipe(
          Stream.mapEffect((range) => work(range, asOf), {
            concurrency: CHUNKS_AT_ONCE,
            unordered: true
          }),
          Stream.runFoldEffect(
            (): ResetReport => ({ ...before, busy: 0, refused: 0 }),
            (report, chunk) => {
              const tiers = addResets(report.tiers, chunk.tiers)
              const next: ResetReport = {
                asOf,
                tiers,
                resetCount: resetCountOf(tiers),
                busy: report.busy + chunk.busy,
                refused: report.refused + chunk.refused
              }
              return Effect.as(options.onProgress?.(next) ?? Effect.void, next)
            }
          )
        )
      }

      return ResetService.of({
        run: Effect.fn("ResetService.run")(function* (options: ResetRun = {}) {
          const now = yield* ledger.now
          const asOf = options.asOf ?? now
          if (asOf > now && options.early !== true && options.dryRun !== true) {
            return yield* new ResetTooEarly({ asOf, now })
          }
          let report: ResetReport = { asOf, resetCount: 0, busy: 0, refused: 0, tiers: noResets(allowances) }
          for (let number = 1; number <= ROUNDS; number += 1) {
            report = yield* round(report, options)
            if (report.busy === 0 || options.dryRun === true) break
            if (number < ROUNDS) yield* Effect.sleep(BETWEEN_ROUNDS)
          }
          if (options.dryRun !== true) yield* runs.end("reset", report.busy + report.refused)
          return report
        })
      })
    })
  )
}
