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

/** Metered work that runs, for promises. */
export interface RunningWork {
  /** Whole credits that are held: the amount asked for, or less if that was still useful. */
  readonly held: number
  /** Aborts if the caller gives up, Parley closes or the hold is lost: then at most the recorded lines are charged. */
  readonly signal: AbortSignal
  /**
   * Reports the usage so far, in place of the previous report: a sweeper charges it if this process dies. Throws
   * `InvalidWork`.
   */
  record(lines: ReadonlyArray<ReceiptLine>): void
}

/** The calls on credits, as promises. Times are Unix milliseconds, credits whole. */
export interface CreditCalls extends CallsOf<typeof CreditService>, Omit<CallsOf<typeof WorkMeter>, "settle"> {
  /**
   * Does any work for credits: holds `amount` before it begins, keeps the hold while it runs, and charges the sum of
   * its lines, never more than the held amount: the rest is `uncovered`. Work that rejects costs nothing, and may be tried again under its key;
   * the promise rejects with the work's own reason. A key that was paid returns its first result, and the work is not
   * done. Rejects with `InsufficientCredits`, `DailyCapReached`, `InvalidWork`, `InvalidAmount`, `KeyConflict`,
   * `WorkInProgress` or `WorkExpired`; then nothing was charged, except as `WorkExpired` says.
   */
  meter<A>(
    bound: WorkBound,
    work: (running: RunningWork) => Promise<WorkReport<A>>,
    options?: { readonly signal?: AbortSignal }
  ): Promise<MeteredWork<A>>
  /**
   * Charges the sum of the lines, at most the held amount: the rest is `uncovered`. A report that comes after the hold has ended is charged too
   * if the balance has the credits, otherwise it rejects with `WorkExpired` and may be sent again. The same lines again
   * return the first answer, other lines reject with `KeyConflict`. Rejects also with `HoldNotFound`, `InvalidWork`,
   * and `DailyCapReached` for a late report.
   */
  settle<A>(name: WorkSettlement, report: WorkReport<A>): Promise<WorkPayment>
  /** Begins the periods that are due. Rejects with `ResetTooEarly`. */
  reset(options?: Omit<ResetRun, "onProgress">): Promise<ResetReport>
  /** Recomputes every account from its rows. With `since`, transactions from before then are trusted. */
  verify(options?: {
    readonly since?: number
  }): Promise<{ readonly accounts: number; readonly differences: ReadonlyArray<Difference> }>
}

/** The credit calls that can be part of a transaction of the caller's. */
export type JoinedCreditCalls = Omit<CreditCalls, "meter" | "renew" | "reset" | "verify">

const Reset = Schema.Struct({
  asOf: Schema.optional(Schema.Number),
  early: Schema.optional(Schema.Boolean),
  dryRun: Schema.optional(Schema.Boolean)
})
const Verify = Schema.Struct({ since: Schema.optional(Schema.Number) })
const Metered = Schema.UndefinedOr(Schema.Struct({ signal: Schema.optional(CheckedByService) }))

/** The calls on credits; when Parley is closed, metered work ends. */
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

/** The calls that the services name. A person without an account has an empty history. */
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

/** The person of a credit call: its first parameter, or a field of it. Both were checked before. */
const personOf = ([first]: ReadonlyArray<unknown>): UserId =>
  typeof first === "string" ? first : (first as { readonly userId: UserId }).userId

/** The calls within a transaction of the caller's. */
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
      // A rejection of the work is its own affair: it passes through unchanged.
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
