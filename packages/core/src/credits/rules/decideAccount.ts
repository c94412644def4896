import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { Account } from "../Account.ts"
import type { Payment } from "../Correction.ts"
import type { GrantInput, OpenAccountInput } from "../Grant.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { InvalidAmount, PurchaseConflict } from "../errors.ts"
import { give } from "./giveAndTake.ts"
import { newest, post } from "./journal.ts"
import { accountOf, type Decision, type LedgerAccount, type Operation } from "./LedgerState.ts"
import { periodAt } from "./period.ts"
import type { Transaction } from "../Transaction.ts"
import { NO_TRANSACTIONS } from "./transactionCounts.ts"
import { NO_USAGE } from "./usageByKind.ts"

/** The business event that a person got the allowance of a period; `start` in Unix milliseconds. */
export const periodKey = (userId: UserId, start: number): string => `period:${userId}:${new Date(start).toISOString()}`

/** What a period's key stands for. Says no amount: the second call gets the first grant, whatever prices say by then. */
export const PERIOD_FINGERPRINT = "period"

/** Gives the account, or opens it with its first allowance. */
export const openOperation = (input: OpenAccountInput): Operation<Account, never> => ({
  name: "open",
  userId: input.userId,
  reads: {},
  decide: ({ account }, now) =>
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
    periodCredits: input.allowance,
    renewedBy: "schedule",
    renewedUntil: undefined,
    pendingTier: undefined,
    allowance: 0,
    topup: 0,
    debt: 0,
    heldAllowance: 0,
    heldTopup: 0,
    version: 0,
    transactionCount: 0,
    openHolds: 0,
    byType: NO_TRANSACTIONS,
    termsTransaction: 0,
    holdsOpened: 0,
    holdsEnded: 0,
    usageDay: 0,
    usageByKind: NO_USAGE
  }
  const key = periodKey(input.userId, start)
  const { allowance } = input
  const journal = post(
    { account: empty, transactions: [] },
    { type: "reset", amount: allowance, allowance, topup: 0, reference: key, at: now }
  )
  const record = { key, fingerprint: PERIOD_FINGERPRINT, at: now, hold: undefined, transaction: newest(journal) }
  return {
    answer: Result.succeed(accountOf(journal.account)),
    changes: { ...journal, opened: [], closed: [], records: [record], purchases: [] }
  }
}

export type GrantRefusal = OnceRefusal | PurchaseConflict

/** Keeps, beside the grant, what was paid for it. */
const withPurchase = (
  { answer, changes }: Decision<Transaction, GrantRefusal>,
  granted: number,
  { charge, paid }: Payment
): Decision<Transaction, GrantRefusal> => {
  if (changes === undefined) return { answer, changes }
  const purchase = { charge, paid, granted, clawedBack: 0, reports: [] }
  return { answer, changes: { ...changes, purchases: [purchase] } }
}

/** Adds credits once under their key. */
export const grantOperation = (input: GrantInput): Operation<Transaction, GrantRefusal> => ({
  name: "grant",
  userId: input.userId,
  reads: { key: input.key, charge: input.payment?.charge },
  decide: (view, now) => {
    const { userId, key, type, amount, payment } = input
    if (!Number.isSafeInteger(amount) || amount < 1) {
      const reason = "it must be a whole number of credits, 1 or more"
      return { answer: Result.fail(new InvalidAmount({ reason })), changes: undefined }
    }
    if (payment !== undefined && !(Number.isSafeInteger(payment.paid) && payment.paid >= 1)) {
      const reason = "what was paid must be a whole number, 1 or more"
      return { answer: Result.fail(new InvalidAmount({ reason })), changes: undefined }
    }
    const fingerprint =
      payment === undefined ? `${type} ${amount}` : `${type} ${amount} ${payment.charge} ${payment.paid}`
    const post = (account: LedgerAccount) =>
      payment !== undefined && view.purchase !== undefined
        ? Result.fail(new PurchaseConflict({ charge: payment.charge }))
        : give(account, amount, { type, reference: key, at: now, charge: payment?.charge })
    const decision = decideOnce<InvalidAmount | PurchaseConflict>(view, { userId, key, fingerprint, now, post })
    return payment === undefined ? decision : withPurchase(decision, amount, payment)
  }
})
