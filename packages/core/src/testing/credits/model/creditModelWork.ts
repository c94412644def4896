import type { Spender } from "../../../credits/Spender.ts"
import { end, isWhole, MODEL_TTL_MS, reserve } from "./creditModelHolds.ts"
import {
  enter,
  freeCredits,
  type ModelAccount,
  type ModelHold,
  type ModelStep,
  type ModelWork,
  spentByKind,
  takeOneByOne
} from "./creditModelState.ts"

/** Calls for work that is done outside of Parley, as tests generate them. */
export type WorkCommand =
  | {
      readonly _tag: "reserveWork"
      readonly key: string
      readonly amount: number
      readonly minimumAmount: number
      readonly source: Spender
      readonly dailyCap: number | undefined
      readonly lifetimeSeconds: number | undefined
    }
  | { readonly _tag: "renewWork"; readonly key: string; readonly units: number }
  | { readonly _tag: "settleWork"; readonly key: string; readonly units: number; readonly dailyCap: number | undefined }
  | { readonly _tag: "releaseWork"; readonly key: string }

const TAGS: ReadonlySet<string> = new Set(["reserveWork", "renewWork", "settleWork", "releaseWork"])

export const isWork = (command: { readonly _tag: string }): command is WorkCommand => TAGS.has(command._tag)

const keyOf = (key: string, place: number) => (place === 1 ? `work:${key}` : `work:${key}#${place}`)

type Attempt = ModelHold & { readonly key: string; readonly work: ModelWork }

/** Returns the attempts at a key, in their order. */
const attemptsOf = ({ holds }: ModelAccount, key: string): ReadonlyArray<Attempt> => {
  const attempts: Array<Attempt> = []
  for (let place = 1; ; place += 1) {
    const hold = holds[keyOf(key, place)]
    if (hold?.work === undefined) return attempts
    attempts.push({ ...hold, work: hold.work, key: keyOf(key, place) })
  }
}

const withHold = (account: ModelAccount, key: string, hold: ModelHold): ModelAccount => ({
  ...account,
  holds: { ...account.holds, [key]: hold }
})

/** Ends an attempt with `end`, and records the resulting state of its work. */
const endWork = (
  account: ModelAccount,
  key: string,
  charge: number | undefined,
  work: Partial<ModelWork>,
  now: number
) => {
  const { account: after, answer } = end(account, key, charge, now)
  const hold = after.holds[key] as Attempt
  return { answer, account: withHold(after, key, { ...hold, work: { ...hold.work, ...work } }) }
}

/** The effect of a sweep on an expired attempt. */
export const expireWork = (account: ModelAccount, key: string, now: number): ModelAccount => {
  const recorded = account.holds[key]?.work?.recorded ?? 0
  return endWork(account, key, recorded === 0 ? undefined : recorded, { outcome: "expired" }, now).account
}

/** An attempt that is opened and ended at once. */
const atOnce = (
  account: ModelAccount,
  { key: _last, ...last }: Attempt,
  key: string,
  ended: Pick<ModelHold, "allowance" | "topup" | "ended">,
  work: Partial<ModelWork>
): ModelAccount => withHold(account, key, { ...last, ...ended, work: { ...last.work, recorded: 0, ...work } })

/** Returns the possible effects of a command: one, except that a renewal may skip rows that other calls are writing. */
export const workSteps = (
  account: ModelAccount,
  command: WorkCommand,
  now: number,
  alone: boolean
): ReadonlyArray<ModelStep> => {
  switch (command._tag) {
    case "reserveWork":
      return [reserveWork(account, command, now)]
    case "settleWork":
      return [settleWork(account, command, now)]
    case "releaseWork":
      return [releaseWork(account, command.key, now)]
    case "renewWork": {
      const done = renewWork(account, command, now)
      return alone ? [done] : [done, { answer: "renewed", account }]
    }
  }
}

/**
 * Returns the account after the end of the expired hold that a command would replace; undefined if there is none. The
 * ledger ends that hold in a separate operation, before the reservation, or before the attempt that releases the work
 * for good, so other calls may come between the two.
 */
export const endedBefore = (
  account: ModelAccount,
  command: { readonly _tag: string; readonly key?: string },
  now: number
): ModelAccount | undefined => {
  if (command.key === undefined || !account.opened) return undefined
  const last = attemptsOf(account, command.key).at(-1)
  if (last === undefined || last.work.outcome !== undefined || last.expiresAt > now) return undefined
  if (command._tag === "reserveWork") return expireWork(account, last.key, now)
  return command._tag === "releaseWork" ? releaseExpired(account, last.key, now).account : undefined
}

/** Ends an expired attempt by a release. */
const releaseExpired = (account: ModelAccount, key: string, now: number) =>
  endWork(account, key, undefined, { outcome: "expired" }, now)

type Reserve = Extract<WorkCommand, { readonly _tag: "reserveWork" }>

const reserveWork = (before: ModelAccount, command: Reserve, now: number): ModelStep => {
  let account = before
  if (!account.opened) return { answer: "AccountNotFound", account }
  const { amount, dailyCap, key, lifetimeSeconds, minimumAmount, source } = command
  if (!isWhole(amount, 1) || !isWhole(minimumAmount, 1) || minimumAmount > amount)
    return { answer: "InvalidAmount", account }
  const terms = `${amount} ${minimumAmount} ${source} ${lifetimeSeconds}`
  const attempts = attemptsOf(account, key)
  if (attempts.some(({ work }) => work.terms !== terms)) return { answer: "KeyConflict", account }
  let last = attempts.at(-1)
  if (last !== undefined && last.work.outcome === undefined && last.expiresAt <= now) {
    account = expireWork(account, last.key, now)
    last = attemptsOf(account, key).at(-1)
  }
  if (last !== undefined && (last.work.outcome === undefined || last.work.outcome === "paid")) {
    const state = last.work.outcome === undefined ? "open" : "settled"
    return { answer: { held: last.allowance + last.topup, state, replayed: true }, account }
  }
  if (last?.work.outcome === "expired" && last.ended !== "Released") return { answer: "WorkExpired", account }
  const place = keyOf(key, attempts.length + 1)
  const asked = { key: place, amount, minimumAmount, source, dailyCap, openAtMost: undefined }
  const ttlMs = lifetimeSeconds === undefined ? MODEL_TTL_MS : lifetimeSeconds * 1_000
  const { account: after, answer } = reserve(account, asked, now, ttlMs)
  const hold = after.holds[place]
  if (hold === undefined) return { answer: answer === "DailyCapReached" ? answer : "InsufficientCredits", account }
  const work: ModelWork = { terms, recorded: 0, outcome: undefined, reported: undefined }
  return {
    answer: { held: hold.allowance + hold.topup, state: "open", replayed: false },
    account: withHold(after, place, { ...hold, work })
  }
}

const renewWork = (
  account: ModelAccount,
  { key, units }: Extract<WorkCommand, { readonly _tag: "renewWork" }>,
  now: number
): ModelStep => {
  const last = attemptsOf(account, key).at(-1)
  if (last === undefined || last.work.outcome !== undefined) return { answer: "HoldNotFound", account }
  const { key: place, ...hold } = last
  const expiresAt = Math.max(hold.expiresAt, now + MODEL_TTL_MS)
  const renewed = { ...hold, expiresAt, work: { ...hold.work, recorded: units } }
  return { answer: "renewed", account: withHold(account, place, renewed) }
}

type Settle = Extract<WorkCommand, { readonly _tag: "settleWork" }>

const settleWork = (account: ModelAccount, command: Settle, now: number): ModelStep => {
  const { key, units } = command
  const attempts = attemptsOf(account, key)
  const last = attempts.at(-1)
  if (last === undefined) return { answer: "HoldNotFound", account }
  switch (last.work.outcome) {
    case undefined:
      return endWork(account, last.key, units, { outcome: "paid", reported: units }, now)
    case "paid":
      return { answer: last.work.reported === units ? last.ended : "KeyConflict", account }
    case "released":
      return { answer: "Released", account }
    case "expired":
      return settleLate(account, last, keyOf(key, attempts.length + 1), command, now)
  }
}

const chargedFor = ({ ended }: Attempt) => (ended as { readonly charged?: number }).charged ?? 0

const settleLate = (account: ModelAccount, last: Attempt, key: string, command: Settle, now: number): ModelStep => {
  const { dailyCap = Infinity, units } = command
  const before = chargedFor(last)
  const required = Math.max(0, Math.min(units, last.allowance + last.topup) - before)
  const free = freeCredits(account)
  if (free.allowance + free.topup < required) return { answer: "WorkExpired", account }
  if (required > 0 && spentByKind(account, last.source, now) + required > dailyCap)
    return { answer: "DailyCapReached", account }
  const [allowance = 0, topup = 0] = takeOneByOne(required, free.allowance, free.topup)
  const entered = enter(account, {
    type: "usage",
    amount: 0 - required,
    allowanceAmount: 0 - allowance,
    topupAmount: 0 - topup,
    reference: key,
    usage: { source: last.source, at: now }
  })
  const ended = {
    charged: required,
    held: required,
    paid: { allowance, topup },
    id: String(entered.rows.length),
    ...(before === 0 ? {} : { before })
  }
  const held = { allowance, topup, ended }
  return { answer: ended, account: atOnce(entered, last, key, held, { outcome: "paid", reported: units }) }
}

const releaseWork = (account: ModelAccount, key: string, now: number): ModelStep => {
  const attempts = attemptsOf(account, key)
  const last = attempts.at(-1)
  if (last === undefined) return { answer: "HoldNotFound", account }
  const isOpen = last.work.outcome === undefined
  if (isOpen && last.expiresAt > now) return endWork(account, last.key, undefined, { outcome: "released" }, now)
  const isExpired = isOpen || last.work.outcome === "expired"
  const released = isOpen ? releaseExpired(account, last.key, now) : { answer: last.ended, account }
  if (!isExpired || released.answer !== "Released") return released
  // The work is released for good by a further attempt.
  const place = keyOf(key, attempts.length + 1)
  const nothing = { allowance: 0, topup: 0, ended: "Released" }
  return { answer: "Released", account: atOnce(released.account, last, place, nothing, { outcome: "released" }) }
}
