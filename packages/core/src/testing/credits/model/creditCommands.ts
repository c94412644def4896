import { Effect } from "effect"
import fc from "fast-check"
import type { HoldEnd, Reserved } from "../../../credits/holds/Hold.ts"
import { periodKey } from "../../../credits/rules/resetPeriod.ts"
import { periodStart } from "../../../credits/rules/period.ts"
import type { TierChange } from "../../../credits/rules/tierChange.ts"
import type { Transaction } from "../../../credits/Transaction.ts"
import type { Spender } from "../../../credits/Spender.ts"
import type { UserId } from "../../../identity/UserId.ts"
import { receiptDraft, reservation } from "../creditFixtures.ts"
import type { CreditCommand } from "./creditModel.ts"
import { MODEL_TTL_MS } from "./creditModelHolds.ts"
import { followedTerms, MODEL_ALLOWANCES } from "./creditModelPlans.ts"
import type { modelBuckets } from "./creditModelState.ts"
import { sendWork, workCommands } from "./creditWorkCommands.ts"
import { resetAll } from "../resetAll.ts"
import type { TestedLedger } from "../testedLedger.ts"

/** The start of histories: shortly before the end of a day that many months do not have. */
export const HISTORY_START = Date.UTC(2027, 0, 31, 23, 58)
const DAY = 24 * 3_600_000

const replies = fc.constantFrom("reply:1", "reply:2", "reply:3")
const topups = fc.constantFrom("topup:1", "topup:2")
const plans = fc.constantFrom("first:1", "plan:1", "plan:2")
/** Mostly keys of one kind, and sometimes keys of another kind, which cause a conflict. */
const mostly = (usual: fc.Arbitrary<string>, other: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })
const holdKeys = mostly(replies, topups)
const grantKeys = mostly(topups, replies)
const planKeys = mostly(plans, topups)
const charges = fc.constantFrom({ charge: "ch_1", granted: 30, paid: 100 }, { charge: "ch_2", granted: 7, paid: 9 })
/** Sometimes reported with figures other than those of the purchase. */
const reportedCharges = fc.oneof(
  { weight: 9, arbitrary: charges },
  { weight: 1, arbitrary: charges.map((charge) => ({ ...charge, granted: charge.granted + 1 })) }
)
/** The times of a provider's reports: only a few, so that some are equal and some come out of order. */
const reportTimes = fc.integer({ min: 1, max: 4 })
const amounts = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 50 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1) }
)
const tag = <const Tag extends string>(name: Tag) => fc.constant(name)

const holdCommands: fc.Arbitrary<CreditCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        _tag: tag("reserve"),
        key: holdKeys,
        amount: amounts,
        shrinks: fc.boolean(),
        openAtMost: fc.constantFrom(undefined, undefined, 1, 2),
        source: fc.constantFrom<Spender[]>("chat", "chat", "bot:1", "bot:2", "meter:pages"),
        dailyCap: fc.constantFrom(undefined, undefined, undefined, 0, 20, 60)
      })
      .map(({ shrinks, ...command }) => ({ ...command, minimumAmount: shrinks ? 1 : command.amount }))
  },
  { weight: 5, arbitrary: fc.record({ _tag: tag("settle"), key: holdKeys, amount: amounts }) },
  { weight: 2, arbitrary: fc.record({ _tag: tag("release"), key: holdKeys }) },
  { weight: 3, arbitrary: fc.record({ _tag: tag("renew"), key: replies, outputTokens: fc.nat(9_000) }) }
)

const correctionCommands: fc.Arbitrary<CreditCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: tag("grant"),
      key: grantKeys,
      amount: amounts,
      type: fc.constantFrom("topup" as const, "grant" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.tuple(topups, charges).map(([key, charge]) => ({ _tag: "buy", key, ...charge }) as const)
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(reportedCharges, fc.constantFrom(0, 1, 5, 9), reportTimes)
      .map(([charge, refunded, reportedAt]) => ({ _tag: "refund", ...charge, refunded, reportedAt }) as const)
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        reportedCharges,
        fc.constantFrom(3, 9),
        fc.constantFrom("withdrawn" as const, "reinstated" as const),
        reportTimes
      )
      .map(
        ([charge, disputed, funds, reportedAt]) =>
          ({ _tag: "dispute", ...charge, disputed, funds, reportedAt }) as const
      )
  },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: tag("adjust"), key: planKeys, amount: fc.integer({ min: -40, max: 40 }) })
  }
)

const planCommands: fc.Arbitrary<CreditCommand> = fc.oneof(
  fc.record({
    _tag: tag("subscribe"),
    key: planKeys,
    allowance: fc.nat(60),
    renewedBy: fc.constantFrom("schedule" as const, "invoice" as const)
  }),
  fc.record({ allowance: fc.nat(60), month: fc.integer({ min: 0, max: 3 }) }).map(({ allowance, month }) => {
    const [start, end] = [periodStart(HISTORY_START, month), periodStart(HISTORY_START, month + 1)]
    return { _tag: "renewPlan", allowance, start, end } as const
  }),
  fc.record({
    _tag: tag("raise"),
    key: planKeys,
    tier: fc.constantFrom("pro" as const, "business" as const),
    allowance: fc.nat(70)
  }),
  fc.record({ _tag: tag("lower"), key: planKeys }),
  fc.record({ _tag: tag("endPlan"), key: planKeys, allowance: fc.nat(40) }),
  fc.record({ _tag: tag("pastDue"), key: planKeys }),
  fc.record({
    _tag: tag("follow"),
    key: planKeys,
    gives: fc.boolean(),
    month: fc.integer({ min: 0, max: 3 }),
    tier: fc.constantFrom("free" as const, "pro" as const, "business" as const),
    allowance: fc.nat(70),
    renewedBy: fc.constantFrom("schedule" as const, "invoice" as const),
    months: fc.constantFrom(undefined, undefined, 1, 2)
  })
)

/** Commands that affect all accounts at once. */
export const upkeepCommands: fc.Arbitrary<CreditCommand> = fc.oneof(
  fc.record({ _tag: tag("sweep") }),
  fc.record({
    _tag: tag("reset"),
    asOf: fc.constantFrom(0, 27, 29, 40, 100, 500).map((day) => HISTORY_START + day * DAY)
  })
)

export const isUpkeep = ({ _tag }: CreditCommand): boolean => _tag === "sweep" || _tag === "reset"

export const creditCommands: fc.Arbitrary<CreditCommand> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ _tag: tag("open"), allowance: fc.nat(60) }) },
  { weight: 16, arbitrary: holdCommands },
  { weight: 8, arbitrary: workCommands },
  { weight: 7, arbitrary: correctionCommands },
  { weight: 3, arbitrary: planCommands },
  { weight: 2, arbitrary: upkeepCommands }
)

/** Sends a command to a ledger; returns the answer in the model's form. */
export const sendCommand = (
  ledger: TestedLedger,
  userId: UserId,
  command: CreditCommand,
  now: number
): Effect.Effect<unknown, { readonly _tag: string }> => {
  switch (command._tag) {
    case "open":
      return Effect.map(ledger.open({ userId, tier: "free", allowance: command.allowance }), toBuckets)
    case "reserve": {
      const { key, amount, _tag, ...asked } = command
      return Effect.map(
        ledger.reserve(reservation(userId, key, amount, { ...asked, ttlMs: MODEL_TTL_MS })),
        summarizeReserved
      )
    }
    case "settle": {
      const { key, amount } = command
      return Effect.map(ledger.settle({ userId, key, amount, draft: receiptDraft }), summarizeEnd)
    }
    case "release":
      return Effect.map(ledger.release({ userId, key: command.key }), summarizeEnd)
    case "renew": {
      const { key, outputTokens } = command
      return Effect.map(
        ledger.renew({ holds: [{ userId, key, outputTokens }], ttlMs: MODEL_TTL_MS }),
        ({ renewed, gone }) => [renewed, gone.length]
      )
    }
    case "sweep":
      return Effect.as(ledger.sweep({ limit: 100_000 }), "swept")
    case "reset":
      return Effect.as(resetAll(ledger, { asOf: command.asOf, allowances: MODEL_ALLOWANCES }), "reset")
    case "grant": {
      const { key, amount, type } = command
      return Effect.map(ledger.grant({ userId, key, amount, type }), summarizeTransaction)
    }
    case "buy": {
      const { key, charge, granted: amount, paid } = command
      const grant = ledger.grant({ userId, key, amount, type: "topup", payment: { charge, paid } })
      return Effect.map(grant, summarizeTransaction)
    }
    case "refund":
      return Effect.map(ledger.refund({ userId, ...command }), summarizeTransaction)
    case "dispute":
      return Effect.map(ledger.dispute({ userId, dispute: "dp", ...command }), summarizeTransaction)
    case "adjust": {
      const { key, amount } = command
      return Effect.map(ledger.adjust({ userId, key, amount, reason: "a test" }), summarizeTransaction)
    }
    case "follow": {
      const { periodStart: start, ...terms } = followedTerms(command)
      const input = {
        userId,
        terms: { ...terms, periodStart: start, allowance: command.allowance },
        periodKey: command.gives ? periodKey(userId, start) : undefined,
        changeKey: command.key
      }
      return Effect.map(ledger.followPlan(input), ({ transaction }) =>
        transaction === undefined ? "nothing" : summarizeTransaction(transaction)
      )
    }
    case "reserveWork":
    case "renewWork":
    case "settleWork":
    case "releaseWork":
      return sendWork(ledger, userId, command)
    default:
      return Effect.map(ledger.changeTier(userId, changeOf(command, now)), summarizeTransaction)
  }
}

type PlanChange = Extract<
  CreditCommand,
  { readonly _tag: "subscribe" | "renewPlan" | "raise" | "lower" | "endPlan" | "pastDue" }
>

const changeOf = (command: PlanChange, now: number): TierChange => {
  switch (command._tag) {
    case "subscribe":
      return { ...command, _tag: "Subscribed", tier: "pro", start: now }
    case "renewPlan":
      return { ...command, _tag: "Renewed", tier: "pro" }
    case "raise":
      return { ...command, _tag: "Raised", lowest: "free" }
    case "lower":
      return { ...command, _tag: "Lowered", tier: "pro", lowest: "free" }
    case "endPlan":
      return { ...command, _tag: "Ended", lowest: "free" }
    case "pastDue":
      return { ...command, _tag: "PastDue" }
  }
}

export const toBuckets = (account: ReturnType<typeof modelBuckets>): ReturnType<typeof modelBuckets> => ({
  allowance: account.allowance,
  topup: account.topup,
  debt: account.debt,
  heldAllowance: account.heldAllowance,
  heldTopup: account.heldTopup
})

const summarizeReserved = (reserved: Reserved): unknown => {
  switch (reserved._tag) {
    case "Refused":
      return { refused: reserved.buckets }
    case "Busy":
      return { busy: reserved.open }
    case "Held":
      return { held: [reserved.hold.from.allowance, reserved.hold.from.topup], replayed: reserved.replayed }
  }
}

const summarizeEnd = (end: HoldEnd): unknown =>
  end._tag === "Released"
    ? "Released"
    : { charged: end.receipt.charged, held: end.receipt.held, paid: end.receipt.paidFrom, id: end.transactionId }

const summarizeTransaction = ({ id, type, amount, balanceAfter }: Transaction): unknown => ({
  type,
  amount,
  balanceAfter,
  id
})
