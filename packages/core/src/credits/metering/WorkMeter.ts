import { Context, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { retryStorage, retryThroughOutage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Accounts } from "../Accounts.ts"
import { CreditLedger } from "../CreditLedger.ts"
import { CreditOperations } from "../CreditOperations.ts"
import {
  type DailyCapReached,
  HoldNotFound,
  type InsufficientCredits,
  type InvalidAmount,
  InvalidWork,
  type KeyConflict,
  WorkExpired,
  WorkInProgress
} from "../errors.ts"
import { endHold } from "../holds/endHold.ts"
import { finishSoon } from "../holds/finishSoon.ts"
import type { HoldEnd } from "../holds/Hold.ts"
import { HoldHeartbeat } from "../holds/HoldHeartbeat.ts"
import { insufficientCredits } from "../holds/insufficientCredits.ts"
import { isOfReply, type ReceiptLine, type WorkReceipt, type WorkReceiptDraft } from "../Receipt.ts"
import { problemOfLines, workCost } from "../rules/workCost.ts"
import { parseUsageSource } from "../UsageSource.ts"
import type { MeteredWork, WorkBound, WorkHold, WorkName, WorkPayment, WorkReport } from "./Metering.ts"
import { isWorkKey, workKey } from "./workKey.ts"
import { resultOf, resultText } from "./workResult.ts"

/** Work that was begun so often under one key has a fault that another try does not mend. */
const MAX_TRIES = 100
const BUSY_RETRY_MS = 2_000

/** Metered work that runs. */
export interface OpenWork {
  /** Whole credits that are held: what was asked for, or less where that was still useful. */
  readonly held: number
  /**
   * Says what was used so far, in place of what was said before: charged where this process dies. Fails with
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
export type SettleWorkFailed = HoldNotFound | InvalidAmount | InvalidWork | StorageFailed

const NOTHING_YET: WorkReceiptDraft = { lines: [], ended: "expired" }

/** Meters any work: holds what it may cost before it begins, and charges what it used, once for each key. */
export class WorkMeter extends Context.Service<
  WorkMeter,
  {
    /**
     * Does work that is paid by the credits of an account, which opens at first sight: holds `amount`, keeps the hold
     * while the work runs, and charges what its lines add up to. Work that fails, or is interrupted, costs nothing, and may
     * be tried again under its key. A key that was paid gives its first result, and nothing is done.
     */
    meter<A, E, R>(
      bound: WorkBound,
      work: (open: OpenWork) => Effect.Effect<WorkReport<A>, E, R>
    ): Effect.Effect<MeteredWork<A>, E | MeterFailed, R>
    /** Holds credits for work that is done elsewhere. It is paid by `settle` or given up by `release`, while it is renewed. */
    reserve(bound: WorkBound): Effect.Effect<WorkHold, ReserveWorkFailed>
    /** Lets a hold live on, and says what was used so far. `HoldNotFound` where it has ended. */
    renew(
      name: WorkName,
      lines?: ReadonlyArray<ReceiptLine>
    ): Effect.Effect<void, HoldNotFound | InvalidWork | StorageFailed>
    /** Ends a hold by charging what its lines add up to, at most what was held. */
    settle<A>(name: WorkName, report: WorkReport<A>): Effect.Effect<WorkPayment, SettleWorkFailed>
    /** Ends a hold without charging. */
    release(name: WorkName): Effect.Effect<WorkPayment, HoldNotFound | InvalidWork | StorageFailed>
  }
>()("@parley/core/credits/WorkMeter") {
  static readonly layer = Layer.effect(
    WorkMeter,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const credits = yield* CreditOperations
      const heartbeat = yield* HoldHeartbeat
      const ledger = yield* CreditLedger
      const { ttlMs } = heartbeat

      const checkName = ({ key }: WorkName) =>
        isWorkKey(key) ? Effect.void : new InvalidWork({ key: key.slice(0, 200), reason: "its key is not acceptable" })

      const checkLines = (key: string, lines: ReadonlyArray<ReceiptLine>) => {
        const problem = problemOfLines(lines)
        return problem === undefined ? Effect.void : new InvalidWork({ key, reason: problem })
      }

      /** What a report says, as the ledger keeps it. */
      const draftOf = Effect.fnUntraced(function* <A>(key: string, { lines, result }: WorkReport<A>) {
        yield* checkLines(key, lines)
        const text = resultText(result)
        if (Result.isFailure(text)) return yield* new InvalidWork({ key, reason: text.failure })
        return { lines, ended: "completed", result: text.success } satisfies WorkReceiptDraft
      })

      /** The `place`-th hold of a key. */
      const reserveAt = Effect.fnUntraced(function* (bound: WorkBound, place: number) {
        const { amount, dailyCap, key, minimumAmount = amount, source, userId } = bound
        const reserved = yield* credits
          .reserve({
            userId,
            key: workKey(key, place),
            fingerprint: `work ${amount} ${minimumAmount} ${source}`,
            amount,
            minimumAmount,
            source,
            dailyCap,
            ttlMs,
            draft: NOTHING_YET
          })
          .pipe(Effect.catchTag("AccountNotFound", Effect.die))
        if (reserved._tag === "Busy") return yield* Effect.die("No bound of open holds was given.")
        if (reserved._tag === "Refused") return yield* insufficientCredits(minimumAmount, reserved)
        return reserved
      })

      const prepare = Effect.fnUntraced(function* (bound: WorkBound) {
        yield* checkName(bound)
        if (parseUsageSource(bound.source) === undefined) {
          return yield* new InvalidWork({
            key: bound.key,
            reason: "its source is none of chat, bot:<id>, meter:<name> and key:<id>"
          })
        }
        yield* accounts.of(bound.userId)
      })

      /** A hold of its own for work that begins, or the receipt of work that is paid. */
      const begin = Effect.fnUntraced(function* (bound: WorkBound) {
        yield* prepare(bound)
        const { key, userId } = bound
        for (let place = 1; place <= MAX_TRIES; place++) {
          const { hold, replayed, state } = yield* reserveAt(bound, place)
          if (state === "settled") return yield* firstPayment({ userId, key: hold.key })
          if (state === "released") continue
          if (replayed) return yield* new WorkInProgress({ key, retryAfterMs: BUSY_RETRY_MS })
          return hold
        }
        return yield* new InvalidWork({ key, reason: `it failed ${MAX_TRIES} times; give it another key` })
      })

      const firstPayment = Effect.fnUntraced(function* (name: WorkName) {
        const receipt = (yield* ledger.transaction(name.userId, name.key))?.receipt
        return yield* workReceipt(receipt)
      })

      const endAs = (key: string, end: HoldEnd) =>
        end._tag === "Released"
          ? new WorkExpired({ key, charged: 0 })
          : Effect.flatMap(workReceipt(end.receipt), (receipt) =>
              receipt.ended === "expired" ? new WorkExpired({ key, charged: receipt.charged }) : Effect.succeed(receipt)
            )

      const meter = <A, E, R>(
        bound: WorkBound,
        work: (open: OpenWork) => Effect.Effect<WorkReport<A>, E, R>
      ): Effect.Effect<MeteredWork<A>, E | MeterFailed, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { key, userId } = bound
            const begun = yield* begin(bound)
            if ("charged" in begun)
              return { result: resultOf(begun.result) as A | undefined, receipt: begun, replayed: true }
            const name = { userId, key: begun.key }
            const gone = yield* Deferred.make<never, WorkExpired>()
            let used = NOTHING_YET
            const release = credits.release(name)
            const whatBecame = Effect.catchTag(release, "HoldNotFound", () =>
              Effect.succeed<HoldEnd>({ _tag: "Released" })
            )
            const tellGone = Effect.flatMap(retryStorage(whatBecame), (end) =>
              Deferred.fail(gone, new WorkExpired({ key, charged: end._tag === "Settled" ? end.receipt.charged : 0 }))
            )
            const stopKeeping = yield* heartbeat.keep(
              name,
              () => ({ outputTokens: 0, draft: used }),
              Effect.ignore(tellGone)
            )
            const giveUp = finishSoon(endHold(release, begun.key, stopKeeping), begun.key)
            const open: OpenWork = {
              held: begun.amount,
              record: (lines) =>
                Effect.tap(checkLines(key, lines), () => Effect.sync(() => (used = { ...used, lines })))
            }
            const report = restore(Effect.raceFirst(work(open), Deferred.await(gone)))
            const reported = Effect.flatMap(report, (given) => draftOf(key, given))
            const draft = yield* Effect.tapCause(reported, () => giveUp)
            // Should this process die before the charge is stored, a sweeper charges it.
            used = { ...draft, ended: "expired" }
            const amount = workCost(draft.lines)
            const settled = Effect.catchTag(credits.settle({ ...name, amount, draft }), "InvalidAmount", Effect.die)
            const settling = yield* Effect.forkDetach(Effect.ensuring(retryThroughOutage(settled), stopKeeping), {
              startImmediately: true
            })
            // Work that is done is paid before who leaves, or closes, goes: a storage that answers is waited for.
            yield* finishSoon(Effect.asVoid(Fiber.await(settling)), begun.key)
            const end = yield* Effect.catchTag(restore(Fiber.join(settling)), "HoldNotFound", Effect.die)
            // The value that a replay gives: not the one given here, which is the work's own and may change.
            return { result: resultOf(draft.result) as A | undefined, receipt: yield* endAs(key, end), replayed: false }
          })
        )

      return WorkMeter.of({
        meter,
        reserve: Effect.fn("WorkMeter.reserve")(function* (bound) {
          yield* prepare(bound)
          const { hold, replayed, state } = yield* reserveAt(bound, 1)
          return { userId: bound.userId, key: bound.key, held: hold.amount, expiresAt: hold.expiresAt, state, replayed }
        }),
        renew: Effect.fn("WorkMeter.renew")(function* (name, lines) {
          yield* checkName(name)
          if (lines !== undefined) yield* checkLines(name.key, lines)
          const draft = lines === undefined ? undefined : { ...NOTHING_YET, lines }
          const hold = { userId: name.userId, key: workKey(name.key), outputTokens: 0, draft }
          const { gone } = yield* ledger.renew({ holds: [hold], ttlMs })
          if (gone.length > 0) return yield* new HoldNotFound({ key: name.key })
        }),
        settle: Effect.fn("WorkMeter.settle")(function* (name, report) {
          yield* checkName(name)
          const draft = yield* draftOf(name.key, report)
          const { key, userId } = name
          const end = yield* credits.settle({ userId, key: workKey(key), amount: workCost(draft.lines), draft })
          return yield* paymentOf(end)
        }),
        release: Effect.fn("WorkMeter.release")(function* (name) {
          yield* checkName(name)
          return yield* paymentOf(yield* credits.release({ userId: name.userId, key: workKey(name.key) }))
        })
      })
    })
  )
}

/** Keys of work begin as no other keys do: what they paid for is work. */
const workReceipt = (receipt: HoldEndReceipt): Effect.Effect<WorkReceipt> =>
  receipt === undefined || isOfReply(receipt)
    ? Effect.die("The hold of metered work ended without a receipt of it.")
    : Effect.succeed(receipt)

type HoldEndReceipt = Extract<HoldEnd, { readonly _tag: "Settled" }>["receipt"] | undefined

const paymentOf = (end: HoldEnd): Effect.Effect<WorkPayment> =>
  end._tag === "Released"
    ? Effect.succeed(end)
    : Effect.map(workReceipt(end.receipt), (receipt) => ({ ...end, receipt }))
