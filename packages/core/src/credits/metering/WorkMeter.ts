import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { CheckedByService, inputsOf } from "../../storage/inputs.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Accounts } from "../Accounts.ts"
import { RenewedWork, ReservedWork, SettledWork, Work } from "../creditInputs.ts"
import { CreditLedger, CreditRecords, transactionOf } from "../CreditLedger.ts"
import { release, settle } from "../rules/decideHold.ts"
import {
  type DailyCapReached,
  type HoldNotFound,
  type InsufficientCredits,
  type InvalidAmount,
  type InvalidWork,
  type KeyConflict,
  WorkExpired,
  WorkInProgress
} from "../errors.ts"
import type { HoldEnd, HoldName, HoldProgress } from "../holds/Hold.ts"
import { HoldTtl, endSurely, heartbeatMs, makeBeats } from "../holds/keepHolds.ts"
import type { ReceiptLine, WorkReceipt } from "../Transaction.ts"
import { workCost } from "../rules/price.ts"
import { checkLines, checkName, checkSource, draftOf, resultOf } from "./checkWork.ts"
import type {
  MeteredWork,
  WorkBound,
  WorkHold,
  WorkName,
  WorkPayment,
  WorkRenewal,
  WorkReport,
  WorkReservation,
  WorkSettlement
} from "./Metering.ts"
import { NOTHING_YET, reserveWork } from "./reserveWork.ts"
import { makeWorkByHand, uncoveredBy, workReceipt } from "./workByHand.ts"

const BUSY_RETRY_MS = 2_000

/** Running work whose hold this process renews. */
interface KeptWork extends HoldName {
  readonly progress: () => HoldProgress
  /** Called if another process has ended the hold. */
  readonly tellGone: Effect.Effect<void>
}

/** The view that running metered work has of its hold. */
export interface OpenWork {
  /** The held credits: the requested amount, or a smaller amount that is still useful. */
  readonly held: number
  /**
   * Records the usage so far, in place of the previous record: a sweeper charges it if this process dies. Fails with
   * `InvalidWork`.
   */
  record(lines: ReadonlyArray<ReceiptLine>): Effect.Effect<void, InvalidWork>
}

export type ReserveWorkFailed =
  | DailyCapReached
  | InsufficientCredits
  | InvalidAmount
  | InvalidWork
  | KeyConflict
  | StorageFailed
export type MeterFailed = ReserveWorkFailed | WorkExpired | WorkInProgress
export type SettleWorkFailed =
  | DailyCapReached
  | HoldNotFound
  | InvalidAmount
  | InvalidWork
  | KeyConflict
  | StorageFailed
  | WorkExpired

const paidReceipt = (end: HoldEnd) => workReceipt(end._tag === "Settled" ? end.receipt : undefined)

const endAs = (key: string, end: HoldEnd) =>
  end._tag === "Released"
    ? new WorkExpired({ key, charged: 0 })
    : Effect.flatMap(workReceipt(end.receipt), (receipt) =>
        receipt.ended === "expired" ? new WorkExpired({ key, charged: receipt.charged }) : Effect.succeed(receipt)
      )

const meteredOf = <A>(receipt: WorkReceipt, result: string | undefined, replayed: boolean): MeteredWork<A> => ({
  result: resultOf(result) as A | undefined,
  receipt,
  uncovered: uncoveredBy(receipt),
  replayed
})

/** Makes the function that opens a hold for new work, or returns the receipt of work that was paid before. */
const makeBegin = (
  accounts: Pick<Accounts["Service"], "vouched">,
  ledger: CreditLedger["Service"],
  records: CreditRecords["Service"],
  ttlMs: number
) =>
  Effect.fnUntraced(function* (bound: WorkBound) {
    yield* checkName(bound)
    yield* checkSource(bound)
    const { key, userId } = bound
    yield* accounts.vouched(userId)
    // A process that could not renew its hold may still be working, so only a sweeper ends an expired hold.
    const reserved = yield* reserveWork(ledger, bound, { ttlMs, endsExpired: false })
    if (reserved._tag === "Expired") return yield* paidReceipt(reserved.end)
    const { hold, replayed, state } = reserved
    if (state !== "open") {
      return yield* workReceipt((yield* transactionOf(records, userId, hold.key))?.receipt)
    }
    if (replayed) return yield* new WorkInProgress({ key, retryAfterMs: BUSY_RETRY_MS })
    return hold
  })

/** Meters any work: holds its maximum price before the work begins, and charges its usage, once for each key. */
export class WorkMeter extends Context.Service<
  WorkMeter,
  {
    /**
     * Does work that is paid with the credits of an account; opens the account if there is none. Holds `amount`, renews
     * the hold while the work runs, and charges the sum of its lines. Work that fails or is interrupted costs nothing,
     * and may be tried again under its key. If the key was paid before, returns the first result without doing the
     * work.
     */
    meter<A, E, R>(
      bound: WorkBound,
      work: (open: OpenWork) => Effect.Effect<WorkReport<A>, E, R>
    ): Effect.Effect<MeteredWork<A>, E | MeterFailed, R>
    /**
     * Holds credits for work that is done outside of Parley. `settle` pays for the work, `release` frees the credits;
     * the hold stays open as long as it is renewed in time. If the previous hold was released, or expired without a
     * charge, the same key begins another attempt. Fails with `WorkExpired` if the previous hold expired and its
     * recorded lines were charged: then only a report of that work can be paid.
     */
    reserve(bound: WorkReservation): Effect.Effect<WorkHold, ReserveWorkFailed | WorkExpired>
    /** Renews the open hold of a key, and records the usage so far. Fails with `HoldNotFound` if no hold is open. */
    renew(
      name: WorkRenewal,
      lines?: ReadonlyArray<ReceiptLine>
    ): Effect.Effect<void, HoldNotFound | InvalidWork | StorageFailed>
    /**
     * Charges the sum of a report's lines, at most the held amount: the rest is `uncovered`. A report that comes after
     * the end of the hold is also charged if the balance contains the credits; otherwise the call fails with
     * `WorkExpired`. The same report again returns the first answer; a report with other lines fails with
     * `KeyConflict`.
     */
    settle<A>(name: WorkSettlement, report: WorkReport<A>): Effect.Effect<WorkPayment, SettleWorkFailed>
    /** Ends a hold without a charge; later reports of the work are not charged. */
    release(name: WorkName): Effect.Effect<WorkPayment, HoldNotFound | InvalidWork | StorageFailed>
  }
>()("@parley/core/credits/WorkMeter") {
  static readonly inputs = inputsOf<WorkMeter["Service"]>()({
    reserve: [{ bound: ReservedWork }],
    renew: [{ name: RenewedWork }, { lines: CheckedByService }],
    settle: [{ name: SettledWork }, { report: CheckedByService }],
    release: [{ name: Work }]
  })
  static readonly layer = Layer.effect(
    WorkMeter,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const ledger = yield* CreditLedger
      const records = yield* CreditRecords
      const ttlMs = yield* HoldTtl
      const keep = yield* makeBeats<KeptWork>(heartbeatMs(ttlMs), (kept) =>
        Effect.flatMap(ledger.renew({ holds: kept.map(({ progress }) => progress()), ttlMs }), ({ gone }) =>
          Effect.forEach(
            kept.filter(({ key, userId }) => gone.some((each) => each.key === key && each.userId === userId)),
            ({ tellGone }) => tellGone,
            { discard: true }
          )
        )
      )

      const begin = makeBegin(accounts, ledger, records, ttlMs)

      const meter = <A, E, R>(
        bound: WorkBound,
        work: (open: OpenWork) => Effect.Effect<WorkReport<A>, E, R>
      ): Effect.Effect<MeteredWork<A>, E | MeterFailed, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { key, userId } = bound
            const begun = yield* begin(bound)
            if ("charged" in begun) return meteredOf<A>(begun, begun.result, true)
            const name = { userId, key: begun.key }
            const gone = yield* Deferred.make<never, WorkExpired>()
            let used = NOTHING_YET
            const released = ledger.run(release(name))
            const whatBecame = Effect.catchTag(released, "HoldNotFound", () =>
              Effect.succeed<HoldEnd>({ _tag: "Released" })
            )
            const tellGone = Effect.flatMap(retryStorage(whatBecame), (end) =>
              Deferred.fail(gone, new WorkExpired({ key, charged: end._tag === "Settled" ? end.receipt.charged : 0 }))
            )
            const progress = () => ({ ...name, outputTokens: 0, draft: used })
            const stopKeeping = yield* keep({ ...name, progress, tellGone: Effect.ignore(tellGone) })
            const giveUp = endSurely(released, begun.key, stopKeeping)
            const open: OpenWork = {
              held: begun.amount,
              record: (lines) =>
                Effect.tap(checkLines(key, lines), () => Effect.sync(() => (used = { ...used, lines })))
            }
            const report = restore(Effect.raceFirst(work(open), Deferred.await(gone)))
            const reported = Effect.flatMap(report, (given) => draftOf(key, given))
            const draft = yield* Effect.tapCause(reported, () => giveUp)
            // If this process dies before the charge is stored, a sweeper charges this draft.
            used = { ...draft, ended: "expired" }
            const amount = workCost(draft.lines)
            const settled = Effect.catchTag(ledger.run(settle({ ...name, amount, draft })), "InvalidAmount", Effect.die)
            // The work is done, so it is charged even if the caller is interrupted from here on.
            const settling = yield* endSurely(settled, begun.key, stopKeeping)
            const end = yield* Effect.catchTag(restore(Fiber.join(settling)), "HoldNotFound", Effect.die)
            // Returns the stored value, as a replay does, and not the object that the work returned, because the caller
            // may change that object.
            return meteredOf<A>(yield* endAs(key, end), draft.result, false)
          })
        )

      return WorkMeter.of({ meter, ...makeWorkByHand(ledger, accounts, ttlMs) })
    })
  )
}
