import { end, isWhole, MODEL_TTL_MS, type ModelReserve, open, reserve } from "./creditModelHolds.ts"
import { type PlanCommand, planStep } from "./creditModelPlans.ts"
import { enter, type ModelAccount, type ModelStep, once } from "./creditModelState.ts"
import { expireWork, isWork, type WorkCommand, workSteps } from "./creditModelWork.ts"

/**
 * An operation as tests generate it. A crash is represented by a hold that is not ended: time passes, and a sweep finds
 * it.
 */
export type CreditCommand =
  | { readonly _tag: "open"; readonly allowance: number }
  | (ModelReserve & { readonly _tag: "reserve" })
  | { readonly _tag: "settle"; readonly key: string; readonly amount: number }
  | { readonly _tag: "release"; readonly key: string }
  | { readonly _tag: "renew"; readonly key: string; readonly outputTokens: number }
  | { readonly _tag: "sweep" }
  | { readonly _tag: "grant"; readonly key: string; readonly amount: number; readonly type: "topup" | "grant" }
  | PlanCommand
  | WorkCommand

/** The charge for a reply whose process died (`receiptDraft`). */
const priceOfDead = (outputTokens: number) => Math.max(1, Math.ceil((120 + 4 * outputTokens) / 1000))

/**
 * Returns true for operations that skip rows on which other calls are working, without reporting that for each account.
 */
export const maySkip = ({ _tag }: CreditCommand): boolean => _tag === "sweep" || _tag === "reset" || _tag === "renew"

/**
 * Returns the possible effects of `command` on `account` at the time `now`: one effect, unless other calls run at the
 * same time (`alone` is false).
 */
export const modelSteps = (
  account: ModelAccount,
  command: CreditCommand,
  now: number,
  alone: boolean
): ReadonlyArray<ModelStep> => {
  if (command._tag === "sweep") return sweeps(account, now, alone)
  if (isWork(command)) return workSteps(account, command, now, alone)
  const done = modelStep(account, command, now)
  if (alone || !maySkip(command)) return [done]
  return [done, { answer: command._tag === "renew" ? [0, 0] : done.answer, account }]
}

const modelStep = (
  account: ModelAccount,
  command: Exclude<CreditCommand, WorkCommand | { readonly _tag: "sweep" }>,
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

/** Ends all expired holds, in any order; if other calls run at the same time, possibly only some of them. */
const sweeps = (account: ModelAccount, now: number, alone: boolean): ReadonlyArray<ModelStep> => {
  const expired = Object.entries(account.holds).filter(([, hold]) => hold.ended === undefined && hold.expiresAt <= now)
  const done = ([key, { outputTokens, work }]: (typeof expired)[number]) =>
    work === undefined
      ? end(account, key, outputTokens === 0 ? undefined : priceOfDead(outputTokens), now).account
      : expireWork(account, key, now)
  const rest = expired.flatMap((one) => sweeps(done(one), now, alone))
  const stop = { answer: "swept", account }
  return expired.length === 0 ? [stop] : alone ? rest : [...rest, stop]
}
