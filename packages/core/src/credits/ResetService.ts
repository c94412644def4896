import { Clock, Context, Duration, Effect, Layer, Option, Stream } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { CreditLedger } from "./CreditLedger.ts"
import { addResets, NOTHING_RESET, type ResetRange, resetCountOf, type TierResets } from "./ResetChunk.ts"

/** Accounts in one transaction: few enough that nobody waits for long behind one. */
const ACCOUNTS_PER_CHUNK = 250
/** Two, so that one commits while the other computes; more would be felt by the replies beside them. */
const CHUNKS_AT_ONCE = 2
/** How long a chunk's place rests, as a part of what the chunk took: the slower the database, the longer it is spared. */
const REST = 1 / 3
/** An account that was busy is tried again in further rounds, and left to the next run if it stays so. */
const ROUNDS = 5
const BETWEEN_ROUNDS = "100 millis"

export interface ResetRun {
  /** Unix milliseconds; now unless given. */
  readonly asOf?: number | undefined
  /** Counts what would be done, and does nothing. */
  readonly dryRun?: boolean
  /** Told after every chunk. */
  readonly onProgress?: (progress: ResetReport) => Effect.Effect<void>
}

/** What a run did so far. */
export interface ResetReport {
  readonly asOf: number
  readonly resetCount: number
  /** Accounts that were being written each time they were tried: still due. */
  readonly busy: number
  readonly tiers: TierResets
}

/** The monthly reset of everybody whose period is over and whom no invoice renews. */
export class ResetService extends Context.Service<
  ResetService,
  {
    /**
     * Resets all that is due, chunk by chunk. May be stopped at any moment and run again, also beside itself: a period
     * is granted once. Memory does not grow with the number of accounts.
     */
    run(options?: ResetRun): Effect.Effect<ResetReport, StorageFailed>
  }
>()("@parley/core/credits/ResetService") {
  static readonly layer = Layer.effect(
    ResetService,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const { tiers } = yield* Catalog
      const allowances = {
        free: tiers.free.monthlyCredits,
        pro: tiers.pro.monthlyCredits,
        business: tiers.business.monthlyCredits
      }

      const resetRange = Effect.fnUntraced(function* (range: ResetRange, asOf: number, dryRun: boolean) {
        const [took, chunk] = yield* Effect.timed(ledger.reset({ asOf, allowances, range, dryRun }))
        if (!dryRun) yield* Effect.sleep(Duration.times(took, REST))
        return chunk
      })

      /** The ranges of accounts that are due, from the first to the last. */
      const dueRanges = (asOf: number) =>
        Stream.paginate(undefined as ResetRange | undefined, (before) =>
          Effect.map(ledger.due({ asOf, before, limit: ACCOUNTS_PER_CHUNK }), (range) => [
            range === undefined ? [] : [range],
            Option.fromUndefinedOr(range)
          ])
        )

      const round = (before: ResetReport, options: ResetRun) => {
        const { asOf } = before
        const dryRun = options.dryRun ?? false
        return dueRanges(asOf).pipe(
          Stream.mapEffect((range) => resetRange(range, asOf, dryRun), {
            concurrency: CHUNKS_AT_ONCE,
            unordered: true
          }),
          Stream.runFoldEffect(
            (): ResetReport => ({ ...before, busy: 0 }),
            (report, chunk) => {
              const tiers = addResets(report.tiers, chunk.tiers)
              const next = { asOf, tiers, resetCount: resetCountOf(tiers), busy: report.busy + chunk.busy }
              return Effect.as(options.onProgress?.(next) ?? Effect.void, next)
            }
          )
        )
      }

      return ResetService.of({
        run: Effect.fn("ResetService.run")(function* (options: ResetRun = {}) {
          const asOf = options.asOf ?? (yield* Clock.currentTimeMillis)
          let report: ResetReport = { asOf, resetCount: 0, busy: 0, tiers: NOTHING_RESET }
          for (let number = 1; number <= ROUNDS; number += 1) {
            report = yield* round(report, options)
            if (report.busy === 0 || options.dryRun === true) break
            if (number < ROUNDS) yield* Effect.sleep(BETWEEN_ROUNDS)
          }
          return report
        })
      })
    })
  )
}
