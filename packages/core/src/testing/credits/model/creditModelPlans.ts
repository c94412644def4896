import { periodAt, periodStart } from "../../../credits/rules/period.ts"
import { give, type PurchaseCommand, purchaseStep, take } from "./creditModelPurchases.ts"
import { enter, freeCredits, type ModelAccount, type ModelStep, once, newestAnswer } from "./creditModelState.ts"

/** Commands about months, plans and corrections, as tests generate them. */
export type PlanCommand =
  | { readonly _tag: "reset"; readonly asOf: number }
  | PurchaseCommand
  | { readonly _tag: "adjust"; readonly key: string; readonly amount: number }
  | {
      readonly _tag: "subscribe"
      readonly key: string
      readonly allowance: number
      readonly renewedBy: "schedule" | "invoice"
    }
  | { readonly _tag: "renewPlan"; readonly allowance: number; readonly start: number; readonly end: number }
  | { readonly _tag: "raise"; readonly key: string; readonly tier: PaidTier; readonly allowance: number }
  | { readonly _tag: "lower"; readonly key: string }
  | { readonly _tag: "endPlan"; readonly key: string; readonly allowance: number }
  | { readonly _tag: "pastDue"; readonly key: string }
  | FollowCommand

/** Target terms; a period is granted for the month, or none. */
export interface FollowCommand {
  readonly _tag: "follow"
  readonly key: string
  readonly gives: boolean
  readonly month: number
  readonly tier: "free" | PaidTier
  readonly allowance: number
  readonly renewedBy: "schedule" | "invoice"
  /** The number of months after which the monthly job begins no further period. */
  readonly months: number | undefined
}

type PaidTier = "pro" | "business"

/** The start of followed plans: on a day that many months do not have. */
const MODEL_FOLLOW_ANCHOR = Date.UTC(2027, 0, 31, 23, 58)

/** The monthly credits of tiers in all histories. */
export const MODEL_ALLOWANCES = { free: 25, pro: 45, business: 70 }

export const planStep = (account: ModelAccount, command: PlanCommand, now: number): ModelStep => {
  switch (command._tag) {
    case "reset":
      return { answer: "reset", account: reset(account, command.asOf) }
    case "buy":
    case "refund":
    case "dispute":
      return purchaseStep(account, command)
    case "adjust":
      if (!Number.isSafeInteger(command.amount) || command.amount === 0) return { answer: "InvalidAmount", account }
      return once(account, command.key, `adjust ${command.amount}`, (before) =>
        command.amount > 0
          ? give(before, "adjustment", command.amount, command.key)
          : take(before, "adjustment", -command.amount, command.key)
      )
    case "subscribe":
      return once(account, command.key, "subscribed pro", (before) =>
        begin(
          { ...before, anchor: now, renewedBy: command.renewedBy, renewedUntil: undefined },
          "pro",
          command.allowance,
          periodAt(now, now),
          command.key
        )
      )
    case "renewPlan":
      return once(account, `period:${command.start}`, "period", (before) =>
        command.start <= before.periodStart
          ? note(before, "reset", "period")
          : begin(before, "pro", command.allowance, command, "period")
      )
    case "raise":
      return raise(account, command)
    case "lower":
      if (isRefusedToFree(account, command.key)) return { answer: "SubscriptionNotFound", account }
      return once(account, command.key, "lowered", (before) => ({
        ...note(before, "adjustment", command.key),
        pendingTier: "pro"
      }))
    case "endPlan":
      return once(account, command.key, "ended", (before) => endPlan(before, command.allowance, command.key, now))
    case "follow":
      return follow(account, command)
    case "pastDue":
      return once(account, command.key, "pastDue", (before) => note(before, "adjustment", command.key))
  }
}

/** Returns true if a change of a plan comes for the first time, and the account has no plan. */
const isRefusedToFree = (account: ModelAccount, key: string): boolean => {
  const used = account.holds[key] !== undefined || account.records[key] !== undefined
  return account.opened && account.tier === "free" && !used
}

/** Grants credits one by one, until the plan has no more than the most expensive plan of the period. */
const raise = (account: ModelAccount, command: Extract<PlanCommand, { readonly _tag: "raise" }>): ModelStep => {
  const { allowance, key, tier } = command
  const fingerprint = `raised ${tier} ${allowance}`
  if (isRefusedToFree(account, key)) return { answer: "SubscriptionNotFound", account }
  return once(account, key, fingerprint, (before) => {
    let { periodCredits } = before
    let amount = 0
    for (; periodCredits < allowance; periodCredits += 1) amount += 1
    const allowanceAmount = amount - Math.min(amount, before.debt)
    const row = { type: "adjustment", amount, allowanceAmount, topupAmount: 0, reference: key }
    return { ...enter(before, row), tier, pendingTier: undefined, periodCredits }
  })
}

/** The terms of a followed plan; months are counted from the start of histories. */
export const followedTerms = ({ month, months, renewedBy, tier }: FollowCommand) => {
  const anchor = MODEL_FOLLOW_ANCHOR
  const until = months === undefined ? undefined : periodStart(anchor, month + months)
  return {
    tier,
    pendingTier: undefined,
    anchor,
    periodStart: periodStart(anchor, month),
    nextResetAt: periodStart(anchor, month + 1),
    renewedBy,
    renewedUntil: until
  }
}

const follow = (account: ModelAccount, command: FollowCommand): ModelStep => {
  const { allowance, gives, key, tier } = command
  if (!account.opened) return { answer: "AccountNotFound", account }
  const terms = followedTerms(command)
  const period = `period:${terms.periodStart}`
  const isKnown = account.holds[key] !== undefined || account.records[key] !== undefined
  const isGiven = account.records[period] !== undefined
  if (!isKnown && gives && !isGiven) {
    const after = begin({ ...account, ...terms }, tier, allowance, periodOf(terms), "period")
    const records = { ...after.records, [period]: { fingerprint: "period", answer: newestAnswer(after) } }
    return { answer: newestAnswer(after), account: { ...after, records } }
  }
  const isAsItWas =
    account.periodCredits === allowance &&
    Object.entries(terms).every(([name, value]) => account[name as keyof typeof terms] === value)
  if (!isKnown && isAsItWas) return { answer: "nothing", account }
  return once(account, key, `plan ${tier}`, (before) => {
    const { allowance: free } = freeCredits(before)
    const more = gives ? Math.max(0, allowance - before.periodCredits) : 0
    const added = more === 0 ? 0 - Math.max(0, free - allowance) : more - Math.min(more, before.debt)
    const amount = more === 0 ? added : more
    const type = gives ? "adjustment" : "reset"
    const after = enter(before, { type, amount, allowanceAmount: added, topupAmount: 0, reference: key })
    return { ...after, ...terms, periodCredits: allowance }
  })
}

const periodOf = ({ nextResetAt, periodStart }: { readonly nextResetAt: number; readonly periodStart: number }) => ({
  start: periodStart,
  end: nextResetAt
})

const note = (account: ModelAccount, type: string, reference: string): ModelAccount =>
  enter(account, { type, amount: 0, allowanceAmount: 0, topupAmount: 0, reference })

interface ModelPeriod {
  readonly start: number
  readonly end: number
}

const begin = (
  account: ModelAccount,
  tier: string,
  plan: number,
  period: ModelPeriod,
  reference: string
): ModelAccount => {
  const lost = freeCredits(account).allowance
  const repaid = Math.min(account.debt, plan)
  const after = enter(account, {
    type: "reset",
    amount: plan - lost,
    allowanceAmount: plan - repaid - lost,
    topupAmount: 0,
    reference
  })
  const { start: periodStart, end: nextResetAt } = period
  return { ...after, tier, pendingTier: undefined, periodStart, nextResetAt, periodCredits: plan }
}

/** Resets the account if the monthly job is due for it, whichever account the command named. */
const reset = (account: ModelAccount, asOf: number): ModelAccount => {
  if (!account.opened || account.renewedBy !== "schedule" || account.nextResetAt > asOf) return account
  const { renewedUntil } = account
  if (renewedUntil !== undefined && account.nextResetAt >= renewedUntil) return account
  const until = renewedUntil === undefined || renewedUntil > asOf ? asOf : renewedUntil - 1
  const period = periodAt(account.anchor, until)
  const tier = (account.pendingTier ?? account.tier) as keyof typeof MODEL_ALLOWANCES
  const key = `period:${period.start}`
  if (account.records[key] !== undefined) {
    const periodCredits = Math.max(account.periodCredits, MODEL_ALLOWANCES[tier])
    const { start: periodStart, end: nextResetAt } = period
    return { ...note(account, "reset", "moved"), tier, pendingTier: undefined, periodStart, nextResetAt, periodCredits }
  }
  const after = begin(account, tier, MODEL_ALLOWANCES[tier], period, "period")
  return { ...after, records: { ...after.records, [key]: { fingerprint: "period", answer: newestAnswer(after) } } }
}

const endPlan = (account: ModelAccount, free: number, reference: string, now: number): ModelAccount => {
  const lost = Math.max(0, freeCredits(account).allowance - free)
  const row = { type: "reset", amount: 0 - lost, allowanceAmount: 0 - lost, topupAmount: 0, reference }
  const anchor = Math.max(now, account.periodStart + 1)
  const { start, end } = periodAt(anchor, anchor)
  const plan = { tier: "free", pendingTier: undefined, renewedBy: "schedule", renewedUntil: undefined }
  return { ...enter(account, row), ...plan, anchor, periodStart: start, nextResetAt: end, periodCredits: free }
}
