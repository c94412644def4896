import { Effect, Schema } from "effect"
import { BoundedWork, History } from "../credits/creditInputs.ts"
import type { HistoryPage } from "../credits/CreditLedger.ts"
import { CreditService } from "../credits/CreditService.ts"
import type { MeteredWork, WorkBound, WorkPayment, WorkReport, WorkSettlement } from "../credits/metering/Metering.ts"
import { WorkMeter } from "../credits/metering/WorkMeter.ts"
import type { ReceiptLine } from "../credits/Transaction.ts"
import { type ResetReport, type ResetRun, ResetService } from "../credits/upkeep/ResetService.ts"
import type { Difference } from "../credits/upkeep/Verification.ts"
import type { UserId } from "../identity/UserId.ts"
import type { CallersTransaction } from "../storage/CallersTransaction.ts"
import { CheckedByService } from "../storage/inputs.ts"
import type { UnitOfWork } from "../storage/UnitOfWork.ts"
import { type CallsOf, callsThrough, checked, type RunCall } from "./callsOf.ts"
import { type ParleyCalls, ParleyClosed, type Run } from "./ParleyCalls.ts"

/** Metered work that is running, for callers with promises. */
export interface RunningWork {
  /** The held credits, whole: the requested amount, or a smaller amount that is still useful. */
  readonly held: number
  /**
   * Aborts if the caller gives up, Parley is closed, or the hold is lost: then at most the recorded lines are charged.
   */
  readonly signal: AbortSignal
  /**
   * Records the usage so far, in place of the previous record: a sweeper charges it if this process dies. Throws
   * `InvalidWork`.
   */
  record(lines: ReadonlyArray<ReceiptLine>): void
}

/** The calls on credits, as promises. Times are Unix milliseconds, amounts are whole credits. */
export interface CreditCalls extends CallsOf<typeof CreditService>, Omit<CallsOf<typeof WorkMeter>, "settle"> {
  /**
   * Does any work for credits: holds `amount` before the work begins, renews the hold while it runs, and charges the
   * sum of its lines, at most the held amount: the rest is `uncovered`. Work that rejects costs nothing, and may be
   * tried again under its key; the promise rejects with the work's own reason. If the key was paid before, returns the
   * first result without doing the work. Rejects with `InsufficientCredits`, `DailyCapReached`, `InvalidWork`,
   * `InvalidAmount`, `KeyConflict`, `WorkInProgress` or `WorkExpired`; then nothing was charged, except the amount in
   * `WorkExpired`.
   */
  meter<A>(
    bound: WorkBound,
    work: (running: RunningWork) => Promise<WorkReport<A>>,
    options?: { readonly signal?: AbortSignal }
  ): Promise<MeteredWork<A>>
  /**
   * Charges the sum of the lines, at most the held amount: the rest is `uncovered`. A report that comes after the end
   * of the hold is also charged if the balance contains the credits; otherwise the call rejects with `WorkExpired`, and
   * the report may be sent again. The same lines again return the first answer; other lines reject with `KeyConflict`.
   * Also rejects with `HoldNotFound`, `InvalidWork`, and `DailyCapReached` for a late report.
   */
  settle<A>(name: WorkSettlement, report: WorkReport<A>): Promise<WorkPayment>
  /** Begins the periods that are due. Rejects with `ResetTooEarly`. */
  reset(options?: Omit<ResetRun, "onProgress">): Promise<ResetReport>
  /** Recomputes every account from its rows. With `since`, earlier transactions are not checked. */
  verify(options?: {
    readonly since?: number
  }): Promise<{ readonly accounts: number; readonly differences: ReadonlyArray<Difference> }>
}

/** The credit calls that can be part of a transaction of the caller. */
export type JoinedCreditCalls = Omit<CreditCalls, "meter" | "renew" | "reset" | "verify">

const Reset = Schema.Struct({
  asOf: Schema.optional(Schema.Number),
  early: Schema.optional(Schema.Boolean),
  dryRun: Schema.optional(Schema.Boolean)
})
const Verify = Schema.Struct({ since: Schema.optional(Schema.Number) })
const Metered = Schema.UndefinedOr(Schema.Struct({ signal: Schema.optional(CheckedByService) }))

/** Makes the calls on credits; metered work ends when Parley is closed. */
export const creditCalls = (calls: ParleyCalls): CreditCalls => ({
  ...servedCalls((effect) => calls.run(effect)),
  meter: checked([{ bound: BoundedWork }, { work: CheckedByService }, { options: Metered }], (bound, work, options) =>
    meter(calls, bound, work, options?.signal)
  ) as CreditCalls["meter"],
  reset: checked([{ options: Schema.UndefinedOr(Reset) }], (options) =>
    calls.run(ResetService.use((resets) => resets.run(options)))
  ) as CreditCalls["reset"],
  verify: checked([{ options: Schema.UndefinedOr(Verify) }], async ({ since }: { readonly since?: number } = {}) => {
    const differences: Array<Difference> = []
    const keep = (found: ReadonlyArray<Difference>) => Effect.sync(() => void differences.push(...found))
    return { accounts: await calls.run(CreditService.use((credits) => credits.verify(keep, since))), differences }
  })
})

const NO_HISTORY: HistoryPage = { transactions: [], total: 0, next: undefined }

/** The calls that the services list. A person without an account has an empty history. */
const servedCalls = (run: RunCall): Omit<CreditCalls, "meter" | "reset" | "verify"> => ({
  ...callsThrough(CreditService, run),
  ...callsThrough(WorkMeter, run),
  history: checked([{ input: History }], (input) =>
    run(
      Effect.catchTag(
        CreditService.use((credits) => credits.history(input)),
        "AccountNotFound",
        () => Effect.succeed(NO_HISTORY)
      ),
      [input]
    )
  )
})

/** Returns the person of a credit call: its first parameter, or a field of it. Both have been checked. */
const personOf = ([first]: ReadonlyArray<unknown>): UserId =>
  typeof first === "string" ? first : (first as { readonly userId: UserId }).userId

/** Makes the calls that are part of the caller's transaction. */
export const joinedCreditCalls = (
  run: Run,
  unitOfWork: UnitOfWork["Service"],
  transaction: CallersTransaction
): JoinedCreditCalls => {
  const { renew: _renew, ...joined } = servedCalls((effect, given) =>
    run(unitOfWork.join(personOf(given), transaction, effect))
  )
  return joined
}

const meter = async <A>(
  { open, run }: ParleyCalls,
  bound: WorkBound,
  work: (running: RunningWork) => Promise<WorkReport<A>>,
  signal: AbortSignal | undefined
): Promise<MeteredWork<A>> => {
  const closing = new AbortController()
  const metered = WorkMeter.use((meter) =>
    meter.meter(bound, ({ held, record }) =>
      // If the caller's work rejects, the reason is passed on unchanged.
      Effect.promise((signal) => work({ held, signal, record: (lines) => Effect.runSync(record(lines)) }))
    )
  )
  const given = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
  const paid = run(metered, { signal: given })
  const leave = async () => {
    closing.abort(new ParleyClosed())
    await paid.catch(() => undefined)
  }
  open.add(leave)
  return paid.finally(() => open.delete(leave))
}
