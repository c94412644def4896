import type { UserId } from "@parley/core"
import { receiptDraft, resetAll, reservation, type TestedLedger } from "@parley/core/testing"
import { Clock, Effect, Schedule } from "effect"

type Work = (ledger: TestedLedger, userId: UserId) => Effect.Effect<unknown, { readonly _tag: string }>

/** One operation, the state that it needs, and the check that it is done. */
export interface Scenario {
  readonly before: Work
  readonly run: Work
  /** The rival of the operation, if it is not just any writer of the account. */
  readonly rival?: Work
  /** Milliseconds from the prepared state to the operation. */
  readonly laterMs?: number
  /** The operation goes over many accounts: it is not tried inside a unit of work or with a rival. */
  readonly alone?: boolean
  /** The operation locks the account before it reads it, so that no rival can be faster. */
  readonly locks?: boolean
  /** Changes that happen independently of the operation, after its last request is done. */
  readonly after?: Work
}

/** Accounts of other scenarios are due as well. */
const EVERYBODY = 100_000
const START = Date.UTC(2026, 0, 31, 12)

/** Runs an effect at a time of the scenario's own, which stands still; waiting takes as long as it takes. */
export const at = <A, E, R>(effect: Effect.Effect<A, E, R>, afterMs = 0): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) =>
    Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: () => START + afterMs,
      currentTimeMillis: Effect.succeed(START + afterMs),
      sleep: (duration) => clock.sleep(duration)
    })
  )

const open: Work = (ledger, userId) => ledger.open({ userId, tier: "free", allowance: 100 })
const reserve: Work = (ledger, userId) => ledger.reserve(reservation(userId, "reply:1", 60, { ttlMs: 60_000 }))
const settle: Work = (ledger, userId) => ledger.settle({ userId, key: "reply:1", amount: 130, draft: receiptDraft })
const release: Work = (ledger, userId) => ledger.release({ userId, key: "reply:1" })
const grant: Work = (ledger, userId) => ledger.grant({ userId, key: "topup:1", type: "topup", amount: 500 })
const renew: Work = (ledger, userId) =>
  ledger.renew({ holds: [{ userId, key: "reply:1", outputTokens: 300 }], ttlMs: 60_000 })
const sweep: Work = (ledger) => ledger.sweep({ limit: EVERYBODY })

/** More than a month later. */
const NEXT_PERIOD_MS = 33 * 24 * 3_600_000
const allowances = { free: 70, pro: 5_000, business: 20_000 }
const asOf = START + NEXT_PERIOD_MS
const reset: Work = (ledger) => resetAll(ledger, { asOf, allowances })
/** A server may hold the account for a while after its client is gone: then a reset leaves it to a later one. */
const resetAfterwards: Work = (ledger, userId) =>
  Effect.repeat(Effect.andThen(reset(ledger, userId), ledger.due({ asOf, before: undefined, limit: 1 })), {
    until: (due) => due === undefined,
    times: 100,
    schedule: Schedule.spaced("20 millis")
  })
const purchase = (userId: UserId) => ({ userId, charge: "ch_1", granted: 500, paid: 1_000 })
const buy: Work = (ledger, userId) =>
  ledger.grant({ userId, key: "topup:1", type: "topup", amount: 500, payment: { charge: "ch_1", paid: 1_000 } })
const refund: Work = (ledger, userId) => ledger.refund({ ...purchase(userId), refunded: 1_000, reportedAt: 1 })
const dispute: Work = (ledger, userId) =>
  ledger.dispute({ ...purchase(userId), dispute: "dp_1", disputed: 400, funds: "withdrawn", reportedAt: 1 })
const adjust: Work = (ledger, userId) => ledger.adjust({ userId, key: "adjust:1", amount: -70, reason: "A test." })
const subscribe: Work = (ledger, userId) =>
  ledger.changeTier(userId, {
    _tag: "Subscribed",
    key: "first:sub_1",
    tier: "pro",
    allowance: 5_000,
    start: START,
    renewedBy: "invoice"
  })

const inTurn =
  (...steps: ReadonlyArray<Work>): Work =>
  (ledger, userId) =>
    Effect.forEach(steps, (step) => step(ledger, userId), { discard: true })

const secondHold: Work = (ledger, userId) => ledger.reserve(reservation(userId, "reply:2", 40, { ttlMs: 60_000 }))

/** The operations of the ledger. Expired or owed credits come first if they make an operation write most. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  open: { before: () => Effect.void, run: open, rival: open },
  reserve: { before: open, run: reserve },
  "a settle beyond the hold": { before: inTurn(open, reserve), run: settle },
  release: { before: inTurn(open, reserve), run: release },
  "a release that repays debt": {
    before: inTurn(open, reserve, secondHold, settle),
    run: (ledger, userId) => ledger.release({ userId, key: "reply:2" })
  },
  "a grant that repays debt": { before: inTurn(open, reserve, settle), run: grant },
  "a purchase": { before: open, run: buy },
  "a refund beyond what is there": { before: inTurn(open, buy, reserve), run: refund, locks: true },
  dispute: { before: inTurn(open, buy), run: dispute, locks: true },
  adjustment: { before: open, run: adjust },
  "a subscription beside an open hold": { before: inTurn(open, reserve), run: subscribe },
  reset: { before: inTurn(open, reserve), run: reset, after: resetAfterwards, laterMs: NEXT_PERIOD_MS, alone: true },
  renew: { before: inTurn(open, reserve), run: renew, laterMs: 30_000, alone: true },
  sweep: {
    before: inTurn(open, reserve, secondHold, renew),
    run: sweep,
    // Rows that an interrupted request still locks are left to the next sweep.
    after: sweep,
    laterMs: 61_000,
    alone: true
  }
}
