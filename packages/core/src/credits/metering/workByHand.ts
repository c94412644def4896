import { Effect } from "effect"
import type { Accounts } from "../Accounts.ts"
import type { CreditLedger } from "../CreditLedger.ts"
import { HoldNotFound, WorkExpired } from "../errors.ts"
import type { HoldEnd } from "../holds/Hold.ts"
import { workCost } from "../rules/price.ts"
import { isOfReply, type ReceiptLine, type WorkReceipt } from "../Transaction.ts"
import { type ExpiredWork, releaseAttempt, settleAttempt } from "./decideWork.ts"
import { checkLines, checkName, checkSource, draftOf, lifetimeOf } from "./checkWork.ts"
import type {
  WorkHold,
  WorkName,
  WorkPayment,
  WorkRenewal,
  WorkReport,
  WorkReservation,
  WorkSettlement
} from "./Metering.ts"
import { atAttempts, MAX_ATTEMPTS, NOTHING_YET, reserveWork, underOwnKey } from "./reserveWork.ts"
import { workKey } from "./workKey.ts"

/** A late report or release of the last attempt needs one further attempt. */
const MOST = MAX_ATTEMPTS + 1

/**
 * Returns the receipt of metered work. Keys of metered work have their own prefix, so their receipts are never receipts
 * of replies.
 */
export const workReceipt = (receipt: HoldEndReceipt): Effect.Effect<WorkReceipt> =>
  receipt === undefined || isOfReply(receipt)
    ? Effect.die("The hold of metered work ended without a receipt of it.")
    : Effect.succeed(receipt)

/** The credits by which the lines of a receipt exceed its charges. */
export const uncoveredBy = ({ charged, chargedBefore = 0, lines }: WorkReceipt): number =>
  Math.max(0, workCost(lines) - charged - chargedBefore)

type HoldEndReceipt = Extract<HoldEnd, { readonly _tag: "Settled" }>["receipt"] | undefined

const paymentOf = (end: HoldEnd): Effect.Effect<WorkPayment> =>
  end._tag === "Released"
    ? Effect.succeed(end)
    : Effect.map(workReceipt(end.receipt), (receipt) => ({ ...end, receipt, uncovered: uncoveredBy(receipt) }))

const expired = ({ key }: WorkName, { available, end, required }: ExpiredWork): WorkExpired =>
  new WorkExpired({
    key,
    charged: end._tag === "Settled" ? end.receipt.charged : 0,
    ...(required === undefined ? {} : { required, available })
  })

/** Makes the calls for work that is done outside of Parley: see `WorkMeter`. */
export const makeWorkByHand = (
  ledger: CreditLedger["Service"],
  accounts: Pick<Accounts["Service"], "vouched">,
  ttlMs: number
) => ({
  reserve: Effect.fn("WorkMeter.reserve")(function* (bound: WorkReservation) {
    yield* checkName(bound)
    yield* checkSource(bound)
    const lifetimeMs = yield* lifetimeOf(bound.key, bound.lifetimeSeconds, ttlMs)
    yield* accounts.vouched(bound.userId)
    const reserved = yield* reserveWork(ledger, bound, { ttlMs: lifetimeMs, endsExpired: true })
    if (reserved._tag === "Expired") return yield* expired(bound, reserved)
    const { hold, replayed, state } = reserved
    const made: WorkHold = {
      userId: bound.userId,
      key: bound.key,
      held: hold.amount,
      expiresAt: hold.expiresAt,
      state: state === "open" ? "open" : "settled",
      replayed
    }
    return made
  }),
  renew: Effect.fn("WorkMeter.renew")(function* (
    { key, lifetimeSeconds, userId }: WorkRenewal,
    lines?: ReadonlyArray<ReceiptLine>
  ) {
    yield* checkName({ key, userId })
    if (lines !== undefined) yield* checkLines(key, lines)
    const draft = lines === undefined ? undefined : { ...NOTHING_YET, lines }
    const lifetimeMs = yield* lifetimeOf(key, lifetimeSeconds, ttlMs)
    const renewed = (places: ReadonlyArray<number>) => {
      const holds = places.map((place) => ({ userId, key: workKey(key, place), outputTokens: 0, draft }))
      return Effect.map(ledger.renew({ holds, ttlMs: lifetimeMs }), ({ gone }) => gone.length < holds.length)
    }
    if (yield* renewed([1])) return
    const others = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => index + 2)
    if (!(yield* renewed(others))) return yield* new HoldNotFound({ key })
  }),
  settle: Effect.fn("WorkMeter.settle")(function* <A>(name: WorkSettlement, report: WorkReport<A>) {
    yield* checkName(name)
    const draft = yield* draftOf(name.key, report)
    const { dailyCap } = name
    const answer = yield* underOwnKey(
      name,
      atAttempts(name, MOST, (attempt) => ledger.run(settleAttempt({ ...attempt, draft, dailyCap })))
    )
    if (answer._tag === "Expired") return yield* expired(name, answer)
    return yield* paymentOf(answer.end)
  }),
  release: Effect.fn("WorkMeter.release")(function* (name: WorkName) {
    yield* checkName(name)
    const { end } = yield* underOwnKey(
      name,
      atAttempts(name, MOST, (attempt) => ledger.run(releaseAttempt(attempt)))
    )
    return yield* paymentOf(end)
  })
})
