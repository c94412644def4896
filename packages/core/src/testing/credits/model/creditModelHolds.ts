import { periodAt } from "../../../credits/rules/period.ts"
import type { Spender } from "../../../credits/Spender.ts"
import {
  enter,
  freeCredits,
  type ModelAccount,
  modelBuckets,
  newestAnswer,
  type ModelHold,
  type ModelStep,
  spentByKind,
  takeOneByOne
} from "./creditModelState.ts"

/** The lifetime of holds in all histories, unless a command contains another. */
export const MODEL_TTL_MS = 60_000

export const isWhole = (amount: number, from: number): boolean => Number.isSafeInteger(amount) && amount >= from

export interface ModelReserve {
  readonly key: string
  readonly amount: number
  readonly minimumAmount: number
  readonly openAtMost: number | undefined
  readonly source: Spender
  readonly dailyCap: number | undefined
}

/** Opens an account, unless it is open already. */
export const open = (account: ModelAccount, allowance: number, now: number): ModelStep => {
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

export const reserve = (account: ModelAccount, command: ModelReserve, now: number, ttlMs = MODEL_TTL_MS): ModelStep => {
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
  const expiresAt = now + ttlMs
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

export const end = (account: ModelAccount, key: string, charge: number | undefined, now: number): ModelStep => {
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

/** Ends a hold: credits that it took from the allowance of a period that is over do not return. */
const expire = (account: ModelAccount, key: string, hold: ModelHold, used: number): ModelAccount => {
  const unused = hold.allowance - used
  if (unused === 0 || hold.periodStart === account.periodStart) return account
  const reference = `expired:${key}`
  return enter(account, { type: "reset", amount: -unused, allowanceAmount: -unused, topupAmount: 0, reference })
}

/** Repays debt with free credits. */
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
