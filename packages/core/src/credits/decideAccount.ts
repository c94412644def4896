import { Result } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { Account } from "./Account.ts"
import { splitGrant } from "./buckets.ts"
import type { GrantInput, OpenAccountInput } from "./CreditLedger.ts"
import { MAX_CREDITS } from "./Credits.ts"
import { AccountNotFound, InvalidAmount, KeyConflict } from "./errors.ts"
import { newest, post } from "./journal.ts"
import { accountOf, type Decision, type LedgerAccount, type Operation, type View } from "./LedgerState.ts"
import { periodAt } from "./period.ts"
import type { Transaction } from "./Transaction.ts"

/** The business fact that a person got the allowance of a period; `start` in Unix milliseconds. */
export const periodKey = (userId: UserId, start: number): string => `period:${userId}:${new Date(start).toISOString()}`

/** What a period's key stands for. Says no amount: whoever comes second gets the first grant, whatever prices say by then. */
export const PERIOD_CONTENT = "period"

/** Gives the account, or opens it at `now` with its first allowance. */
export const openOperation = (input: OpenAccountInput, now: number): Operation<Account, never> => ({
  name: "open",
  userId: input.userId,
  key: undefined,
  decide: ({ account }) =>
    account === undefined ? openAccount(input, now) : { answer: Result.succeed(accountOf(account)), changes: undefined }
})

const openAccount = (input: OpenAccountInput, now: number): Decision<Account, never> => {
  const { start, end } = periodAt(now, now)
  const empty: LedgerAccount = {
    userId: input.userId,
    tier: input.tier,
    anchor: now,
    periodStart: start,
    nextResetAt: end,
    renewedBy: "schedule",
    pendingTier: undefined,
    allowance: 0,
    topup: 0,
    debt: 0,
    heldAllowance: 0,
    heldTopup: 0,
    version: 0,
    entries: 0
  }
  const key = periodKey(input.userId, start)
  const { allowance } = input
  const journal = post(
    { account: empty, transactions: [] },
    { type: "reset", amount: allowance, allowance, topup: 0, reference: key, at: now }
  )
  const fact = { key, content: PERIOD_CONTENT, at: now, hold: undefined, transaction: newest(journal) }
  return {
    answer: Result.succeed(accountOf(journal.account)),
    changes: { ...journal, opened: [], closed: [], facts: [fact] }
  }
}

/** Adds credits once under their key. */
export const grantOperation = (
  input: GrantInput,
  now: number
): Operation<Transaction, AccountNotFound | KeyConflict | InvalidAmount> => ({
  name: "grant",
  userId: input.userId,
  key: input.key,
  decide: (view) => grant(view, input, now)
})

const grant = (
  view: View,
  input: GrantInput,
  now: number
): Decision<Transaction, AccountNotFound | KeyConflict | InvalidAmount> => {
  const refuse = <E extends AccountNotFound | KeyConflict | InvalidAmount>(error: E) => ({
    answer: Result.fail(error),
    changes: undefined
  })
  const { account, open, fact } = view
  const { userId, key, type, amount } = input
  if (!Number.isSafeInteger(amount) || amount < 1) {
    return refuse(new InvalidAmount({ reason: "it must be a whole number of credits, 1 or more" }))
  }
  if (account === undefined) return refuse(new AccountNotFound({ userId }))
  const content = `${type} ${amount}`
  if (fact?.content === content && fact.transaction !== undefined) {
    return { answer: Result.succeed(fact.transaction), changes: undefined }
  }
  if (open !== undefined || fact !== undefined) return refuse(new KeyConflict({ key }))
  const { added } = splitGrant(account, amount)
  if (added > MAX_CREDITS - account.allowance - account.topup) {
    return refuse(new InvalidAmount({ reason: `an account holds at most ${MAX_CREDITS} credits` }))
  }
  const journal = post(
    { account, transactions: [] },
    { type, amount, allowance: 0, topup: added, reference: key, at: now }
  )
  const transaction = newest(journal)
  return {
    answer: Result.succeed(transaction),
    changes: {
      ...journal,
      opened: [],
      closed: [],
      facts: [{ key, content, at: now, hold: undefined, transaction }]
    }
  }
}
