import { periodAt } from "../../credits/rules/period.ts"
import type { UsageSource } from "../../credits/UsageSource.ts"
import { type PlanCommand, planStep } from "./creditModelPlans.ts"
import {
  enter,
  freeCredits,
  type ModelAccount,
  modelBuckets,
  type ModelHold,
  type ModelStep,
  once,
  spentByKind,
  takeOneByOne,
  newestAnswer
} from "./creditModelState.ts"

/** An operation as tests generate it. A crash is a hold that is not ended: time passes, and a sweep finds it. */
export type CreditCommand =
  | { readonly _tag: "open"; readonly allowance: number }
  | {
      readonly _tag: "reserve"
      readonly key: string
      readonly amount: number
      readonly minimumAmount: number
      readonly openAtMost: number | undefined
      readonly source: UsageSource
      readonly dailyCap: number | undefined
    }
  | { readonly _tag: "settle"; readonly key: string; readonly amount: number }
  | { readonly _tag: "release"; readonly key: string }
  | { readonly _tag: "renew"; readonly key: string; readonly outputTokens: number }
  | { readonly _tag: "sweep" }
  | { readonly _tag: "grant"; readonly key: string; readonly amount: number; readonly type: "topup" | "grant" }
  | PlanCommand

/** How long holds live in all histories, and what a dead one's reply cost (`receiptDraft`). */
export const MODEL_TTL_MS = 60_000
const priceOfDead = (outputTokens: number) => Math.max(1, Math.ceil((120 + 4 * outputTokens) / 1000))

const isWhole = (amount: number, from: number) => Number.isSafeInteger(amount) && amount >= from

/** Operations that skip what others work on at the same moment, and do not say so for each account. */
export const maySkip = ({ _tag }: CreditCommand): boolean => _tag === "sweep" || _tag === "reset" || _tag === "renew"

/** What `command` may do to `account` at the time `now`: one thing, unless others are at work (`alone` is false). */
export const modelSteps = (
  account: ModelAccount,
  command: CreditCommand,
  now: number,
  alone: boolean
): ReadonlyArray<ModelStep> => {
  if (command._tag === "sweep") return sweeps(account, now, alone)
  const done = modelStep(account, command, now)
  if (alone || !maySkip(command)) return [done]
  return [done, { answer: command._tag === "renew" ? [0, 0] : done.answer, account }]
}

const modelStep = (
  account: ModelAccount,
  command: Exclude<CreditCommand, { readonly _tag: "sweep" }>,
  now: number
): ModelStep => {
  switch (command._tag) {
    case "open":
      return open(account, command.allowance, now)
    case "reserve":
      return reserve(account, command, now)
    case "settle":
      if (!isWhole(command.amount, 0)) return { answer: "InvalidAmount", account }
      return end(account, command.key, command.amount, now)
    case "release":
      return end(account, command.key, undefined, now)
    case "renew":
      return renew(account, command, now)
    case "grant": {
      const { key, amount, type } = command
      if (!isWhole(amount, 1)) return { answer: "InvalidAmount", account }
      return once(account, key, `${type} ${amount}`, (before) => {
        const topupAmount = amount - Math.min(amount, before.debt)
        return enter(before, { type, amount, allowanceAmount: 0, topupAmount, reference: key })
      })
    }
    default:
      return planStep(account, command, now)
  }
}

const open = (account: ModelAccount, allowance: number, now: number): ModelStep => {
  if (account.opened) return { answer: modelBuckets(account), account }
  const row = { type: "reset", amount: allowance, allowanceAmount: allowance, topupAmount: 0, reference: "period" }
  const { start, end: nextResetAt } = periodAt(now, now)
  const entered = {
    ...enter(account, row),
    opened: true,
    anchor: now,
    periodStart: start,
    nextResetAt,
    periodCredits: allowance
  }
  const records = { [`period:${start}`]: { fingerprint: "period", answer: newestAnswer(entered) } }
  return { answer: modelBuckets(entered), account: { ...entered, records } }
}

const reserve = (
  account: ModelAccount,
  command: Extract<CreditCommand, { readonly _tag: "reserve" }>,
  now: number
): ModelStep => {
  const { key, amount, minimumAmount, openAtMost, source, dailyCap = Infinity } = command
  if (!isWhole(amount, 1) || !isWhole(minimumAmount, 1) || minimumAmount > amount)
    return { answer: "InvalidAmount", account }
  if (!account.opened) return { answer: "AccountNotFound", account }
  const earlier = account.holds[key]
  if (account.records[key] !== undefined) return { answer: "KeyConflict", account }
  if (earlier !== undefined) {
    const isSame = earlier.amount === amount && earlier.minimumAmount === minimumAmount && earlier.source === source
    if (!isSame) return { answer: "KeyConflict", account }
    return { answer: { held: [earlier.allowance, earlier.topup], replayed: true }, account }
  }
  const open = Object.values(account.holds).filter((hold) => hold.ended === undefined).length
  if (openAtMost !== undefined && open + 1 > openAtMost) return { answer: { busy: open }, account }
  const left = dailyCap - spentByKind(account, source, now)
  if (left < minimumAmount) return { answer: "DailyCapReached", account }
  const free = freeCredits(account)
  if (free.allowance + free.topup < minimumAmount) return { answer: { refused: modelBuckets(account) }, account }
  const [allowance = 0, topup = 0] = takeOneByOne(Math.min(amount, left), free.allowance, free.topup)
  const { periodStart } = account
  const expiresAt = now + MODEL_TTL_MS
  const hold: ModelHold = {
    amount,
    minimumAmount,
    source,
    allowance,
    topup,
    periodStart,
    expiresAt,
    outputTokens: 0,
    ended: undefined
  }
  return {
    answer: { held: [allowance, topup], replayed: false },
    account: { ...account, holds: { ...account.holds, [key]: hold } }
  }
}

const renew = (
  account: ModelAccount,
  { key, outputTokens }: Extract<CreditCommand, { readonly _tag: "renew" }>,
  now: number
): ModelStep => {
  const hold = account.holds[key]
  if (hold === undefined || hold.ended !== undefined) return { answer: [0, 1], account }
  const renewed = {
    ...hold,
    outputTokens: Math.max(hold.outputTokens, outputTokens),
    expiresAt: Math.max(hold.expiresAt, now + MODEL_TTL_MS)
  }
  return { answer: [1, 0], account: { ...account, holds: { ...account.holds, [key]: renewed } } }
}

/** All that has expired is ended, in any order; beside others, some of it. */
const sweeps = (account: ModelAccount, now: number, alone: boolean): ReadonlyArray<ModelStep> => {
  const expired = Object.entries(account.holds).filter(([, hold]) => hold.ended === undefined && hold.expiresAt <= now)
  const done = ([key, { outputTokens }]: (typeof expired)[number]) =>
    end(account, key, outputTokens === 0 ? undefined : priceOfDead(outputTokens), now).account
  const rest = expired.flatMap((one) => sweeps(done(one), now, alone))
  const stop = { answer: "swept", account }
  return expired.length === 0 ? [stop] : alone ? rest : [...rest, stop]
}

const end = (account: ModelAccount, key: string, charge: number | undefined, now: number): ModelStep => {
  const hold = account.holds[key]
  if (hold === undefined) return { answer: "HoldNotFound", account }
  if (hold.ended !== undefined) return { answer: hold.ended, account }
  let after: ModelAccount = account
  let ended: unknown = "Released"
  let used = 0
  if (charge !== undefined) {
    const [heldA = 0, heldT = 0] = takeOneByOne(charge, hold.allowance, hold.topup)
    const paid = { allowance: heldA, topup: heldT }
    const charged = heldA + heldT
    used = heldA
    after = enter(account, {
      type: "usage",
      amount: 0 - charged,
      allowanceAmount: 0 - paid.allowance,
      topupAmount: 0 - paid.topup,
      reference: key,
      usage: { source: hold.source, at: now }
    })
    ended = { charged, held: hold.allowance + hold.topup, paid, id: String(after.rows.length) }
  }
  after = { ...after, holds: { ...after.holds, [key]: { ...hold, ended } } }
  return { answer: ended, account: repay(expire(after, key, hold, used), key) }
}

/** What a hold had of the allowance of a period that is over does not come back. */
const expire = (account: ModelAccount, key: string, hold: ModelHold, used: number): ModelAccount => {
  const unused = hold.allowance - used
  if (unused === 0 || hold.periodStart === account.periodStart) return account
  const reference = `expired:${key}`
  return enter(account, { type: "reset", amount: -unused, allowanceAmount: -unused, topupAmount: 0, reference })
}

/** Credits that are free repay what is owed. */
const repay = (account: ModelAccount, key: string): ModelAccount => {
  const free = freeCredits(account)
  const [fromAllowance = 0, fromTopup = 0] = takeOneByOne(account.debt, free.allowance, free.topup)
  if (fromAllowance + fromTopup === 0) return account
  return enter(account, {
    type: "adjustment",
    amount: 0,
    allowanceAmount: 0 - fromAllowance,
    topupAmount: 0 - fromTopup,
    reference: `repaid:${key}`
  })
}
