import { Effect, type ManagedRuntime } from "effect"
import type { Balance } from "../credits/Account.ts"
import type { AdjustInput, RefundInput } from "../credits/Purchase.ts"
import type { HistoryInput, HistoryPage } from "../credits/CreditLedger.ts"
import { CreditService } from "../credits/CreditService.ts"
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
} from "../credits/metering/Metering.ts"
import { WorkMeter } from "../credits/metering/WorkMeter.ts"
import type { ReceiptLine, ReplyReceipt } from "../credits/Receipt.ts"
import type { Transaction } from "../credits/Transaction.ts"
import { type ResetReport, type ResetRun, ResetService } from "../credits/upkeep/ResetService.ts"
import type { Difference } from "../credits/upkeep/Verification.ts"
import type { UserId } from "../identity/UserId.ts"
import type { ParleyServices } from "../parleyLayer.ts"
import type { CallersTransaction } from "../storage/CallersTransaction.ts"
import type { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { TierName } from "../tiers/Tier.ts"
import { ParleyClosed } from "./errors.ts"
import type { OpenReplies } from "./OpenReplies.ts"
import { runWith } from "./runWith.ts"

/** Metered work that runs, for promises. */
export interface RunningWork {
  /** Whole credits that are held: what was asked for, or less where that was still useful. */
  readonly held: number
  /** Aborted where the caller gives up, where Parley is closed, and where the hold is gone: the work is not paid then. */
  readonly signal: AbortSignal
  /** Says what was used so far, in place of what was said before: charged where this process dies. Throws `InvalidWork`. */
  record(lines: ReadonlyArray<ReceiptLine>): void
}

/** What can be done with credits, as promises. Times are Unix milliseconds, credits whole. */
export interface CreditCalls {
  balance(userId: UserId): Promise<Balance>
  /** A person's transactions, newest first: an empty page for a person without an account, which it does not open. */
  history(input: HistoryInput): Promise<HistoryPage>
  /** What a reply cost and why. Rejects with `ReceiptNotFound`. */
  receipt(userId: UserId, messageId: string): Promise<ReplyReceipt>
  /**
   * Does any work for credits: holds `amount` before it begins, keeps the hold while it runs, and charges what its lines
   * add up to, never more than was held. Work that rejects costs nothing, and may be tried again under its key; the
   * promise rejects with what the work did. A key that was paid gives its first result, and the work is not done.
   * Rejects with `InsufficientCredits`, `DailyCapReached`, `InvalidWork`, `InvalidAmount`, `KeyConflict`,
   * `WorkInProgress` or `WorkExpired`; then nothing was charged, but for what `WorkExpired` says.
   */
  meter<A>(
    bound: WorkBound,
    work: (running: RunningWork) => Promise<WorkReport<A>>,
    options?: { readonly signal?: AbortSignal }
  ): Promise<MeteredWork<A>>
  /**
   * Holds credits for work that is done elsewhere, until it is settled or released, or not renewed until `expiresAt`. After
   * a hold that was released, or expired uncharged, the same key begins another attempt. Rejects with
   * `InsufficientCredits`, `DailyCapReached`, `InvalidWork`, `InvalidAmount`, `KeyConflict`, or `WorkExpired` if the hold
   * before expired and its recorded lines were charged: then only `settle` can complete its payment.
   */
  reserve(bound: WorkReservation): Promise<WorkHold>
  /** Lets a hold live on, and says what was used so far. Rejects with `HoldNotFound` or `InvalidWork`. */
  renew(name: WorkRenewal, lines?: ReadonlyArray<ReceiptLine>): Promise<void>
  /**
   * Charges what the lines add up to, at most what was held. A report that comes after the hold has ended is charged too
   * if the balance has the credits, else it rejects with `WorkExpired` and may be sent again. The same lines again get the
   * first answer, other lines reject with `KeyConflict`. Rejects also with `HoldNotFound`, `InvalidWork`, and
   * `DailyCapReached` for a late report.
   */
  settle<A>(name: WorkSettlement, report: WorkReport<A>): Promise<WorkPayment>
  /** Gives back what was held; no later report is charged for it. Rejects with `HoldNotFound` or `InvalidWork`. */
  release(name: WorkName): Promise<WorkPayment>
  /**
   * Gives credits that do not expire, once for each key; opens the account of a person who has not signed in yet. Rejects
   * with `InvalidAmount` or `KeyConflict`.
   */
  grant(input: { readonly userId: UserId; readonly amount: number; readonly key: string }): Promise<Transaction>
  /**
   * Takes back what the refunded part of a purchase had bought. Rejects with `AccountNotFound`, `InvalidAmount`,
   * `KeyConflict`, `PurchaseNotFound` or `PurchaseConflict`.
   */
  refund(input: RefundInput): Promise<Transaction>
  /**
   * Corrects a balance by hand. Rejects with `InvalidAmount`, `KeyConflict`, or `AccountNotFound` for a person without an
   * account, who has no balance to correct: `grant` opens one.
   */
  adjust(input: AdjustInput): Promise<Transaction>
  /**
   * Puts a person on a tier, with its credits from now on, renewed each month; once for each key. Undefined where
   * everything was so already. Opens the account of a person who has not signed in yet. Rejects with `UnknownTier`,
   * `InvalidAmount` or `KeyConflict`.
   */
  changeTier(input: {
    readonly userId: UserId
    readonly tier: TierName
    readonly key: string
  }): Promise<Transaction | undefined>
  /** Begins the periods that are due. Rejects with `ResetTooEarly`. */
  reset(options?: Omit<ResetRun, "onProgress">): Promise<ResetReport>
  /** Recomputes every account from its rows. With `since`, transactions from before then are trusted. */
  verify(options?: {
    readonly since?: number
  }): Promise<{ readonly accounts: number; readonly differences: ReadonlyArray<Difference> }>
}

/** The credit calls that can be part of a transaction of the caller's. */
export type JoinedCreditCalls = Pick<
  CreditCalls,
  "adjust" | "balance" | "changeTier" | "grant" | "history" | "receipt" | "refund" | "release" | "reserve" | "settle"
>

type Runtime = ManagedRuntime.ManagedRuntime<ParleyServices, never>

/** The calls over the services of a runtime. `open` ends metered work where Parley is closed. */
export const creditCalls = (runtime: Runtime, open: OpenReplies): CreditCalls => {
  const run = runWith(runtime)
  return {
    ...joinableCalls(run),
    meter: (bound, work, options) => meter(runtime, open, bound, work, options?.signal),
    renew: (name, lines) => run(WorkMeter.use((meter) => meter.renew(name, lines))),
    reset: (options) => run(ResetService.use((resets) => resets.run(options))),
    verify: async ({ since } = {}) => {
      const differences: Array<Difference> = []
      const keep = (found: ReadonlyArray<Difference>) => Effect.sync(() => void differences.push(...found))
      return { accounts: await run(CreditService.use((credits) => credits.verify(keep, since))), differences }
    }
  }
}

const NO_HISTORY: HistoryPage = { transactions: [], total: 0, next: undefined }

type Run = <A, E>(effect: Effect.Effect<A, E, ParleyServices>) => Promise<A>

const joinableCalls = (run: Run): JoinedCreditCalls => {
  return {
    balance: (userId) => run(CreditService.use((credits) => credits.balance(userId))),
    history: (input) =>
      run(
        CreditService.use((credits) =>
          Effect.catchTag(credits.history(input), "AccountNotFound", () => Effect.succeed(NO_HISTORY))
        )
      ),
    receipt: (userId, messageId) => run(CreditService.use((credits) => credits.receipt(userId, messageId))),
    reserve: (bound) => run(WorkMeter.use((meter) => meter.reserve(bound))),
    settle: (name, report) => run(WorkMeter.use((meter) => meter.settle(name, report))),
    release: (name) => run(WorkMeter.use((meter) => meter.release(name))),
    grant: (input) => run(CreditService.use((credits) => credits.grant(input))),
    refund: (input) => run(CreditService.use((credits) => credits.refund(input))),
    adjust: (input) => run(CreditService.use((credits) => credits.adjust(input))),
    changeTier: (input) => run(CreditService.use((credits) => credits.changeTier(input)))
  }
}

/** The calls within a transaction of the caller's. */
export const joinedCreditCalls = (
  runtime: Runtime,
  unitOfWork: UnitOfWork["Service"],
  transaction: CallersTransaction
): JoinedCreditCalls => joinableCalls((effect) => runWith(runtime)(unitOfWork.join(transaction, effect)))

const meter = async <A>(
  runtime: Runtime,
  open: OpenReplies,
  bound: WorkBound,
  work: (running: RunningWork) => Promise<WorkReport<A>>,
  signal: AbortSignal | undefined
): Promise<MeteredWork<A>> => {
  const closing = new AbortController()
  const metered = WorkMeter.use((meter) =>
    meter.meter(bound, ({ held, record }) =>
      // What the work rejects with is its own affair: it passes through as it is.
      Effect.promise((signal) => work({ held, signal, record: (lines) => Effect.runSync(record(lines)) }))
    )
  )
  const given = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
  const paid = runWith(runtime)(metered, { signal: given })
  const leave = async () => {
    closing.abort(new ParleyClosed())
    await paid.catch(() => undefined)
  }
  open.add(leave)
  try {
    return await paid
  } finally {
    open.delete(leave)
  }
}
