import { Result } from "effect"
import type { LedgerAccount, Decision, Refusal, View } from "./LedgerState.ts"
import { modelOf, type Receipt, type Transaction, type TransactionType, withTransaction } from "../Transaction.ts"
import type { Account } from "../Account.ts"
import type { UserId } from "../../identity/UserId.ts"
import { AccountNotFound, type InvalidAmount, KeyConflict } from "../errors.ts"

/** An account with the transactions written since it was loaded. */
export interface Journal {
  readonly account: LedgerAccount
  readonly transactions: ReadonlyArray<Transaction>
}

/** The content of one transaction. */
export interface Posting {
  readonly type: TransactionType
  /** Signed changes, as in `Transaction`; the rest of `amount` changes the debt. */
  readonly amount: number
  readonly allowance: number
  readonly topup: number
  readonly reference: string
  /** Unix milliseconds. */
  readonly at: number
  readonly receipt?: Receipt
  /** The payment, if the row is about a purchase. */
  readonly charge?: string | undefined
}

/** Returns `journal` with one more transaction, and with the account as it is after that transaction. */
export const post = (journal: Journal, posting: Posting): Journal => {
  const { account, transactions } = journal
  const after: LedgerAccount = {
    ...account,
    allowance: account.allowance + posting.allowance,
    topup: account.topup + posting.topup,
    debt: account.debt - (posting.amount - posting.allowance - posting.topup),
    transactionCount: account.transactionCount + 1,
    byType: withTransaction(account.byType, posting.type, account.transactionCount + 1)
  }
  const transaction: Transaction = {
    id: String(after.transactionCount),
    type: posting.type,
    amount: posting.amount,
    allowanceAmount: posting.allowance,
    topupAmount: posting.topup,
    balanceAfter: after.allowance + after.topup - after.debt,
    model: modelOf(posting.receipt),
    source: posting.receipt?.source,
    charge: posting.charge,
    reference: posting.reference,
    createdAt: posting.at,
    receipt: posting.receipt
  }
  return { account: after, transactions: [...transactions, transaction] }
}

/** The newest transaction of a journal that has one. */
export const newest = (journal: Journal): Transaction => {
  const transaction = journal.transactions.at(-1)
  if (transaction === undefined) throw new Error("A journal without transactions has no newest one.")
  return transaction
}

/** The fields of an account that change with a period or a plan, not with replies. Times are Unix milliseconds. */
export type Terms = Pick<
  Account,
  "tier" | "anchor" | "periodStart" | "nextResetAt" | "periodCredits" | "renewedBy" | "renewedUntil" | "pendingTier"
>

const NAMES = [
  "tier",
  "anchor",
  "periodStart",
  "nextResetAt",
  "periodCredits",
  "renewedBy",
  "renewedUntil",
  "pendingTier"
] as const

export const termsOf = ({
  tier,
  anchor,
  periodStart,
  nextResetAt,
  periodCredits,
  renewedBy,
  renewedUntil,
  pendingTier
}: Terms): Terms => ({
  tier,
  anchor,
  periodStart,
  nextResetAt,
  periodCredits,
  renewedBy,
  renewedUntil,
  pendingTier
})

export const sameTerms = (a: Terms, b: Terms): boolean => {
  for (const name of NAMES) if (a[name] !== b[name]) return false
  return true
}

/**
 * Returns the account after an operation. If its terms changed, the account stores the number of its newest
 * transaction, which contains them.
 */
export const explainTerms = (before: LedgerAccount | undefined, after: LedgerAccount): LedgerAccount => {
  if (before !== undefined && sameTerms(before, after)) return after
  if (after.transactionCount === before?.transactionCount)
    throw new Error("The terms of an account changed without a transaction.")
  return { ...after, termsTransaction: after.transactionCount }
}

export type OnceRefusal = AccountNotFound | KeyConflict | InvalidAmount

/** Work that is done once for a business key, and whose answer is the one transaction that it writes. */
export interface OnceWork<E> {
  readonly userId: UserId
  readonly key: string
  /** A description of the request. */
  readonly fingerprint: string
  readonly now: number
  readonly post: (account: LedgerAccount) => Result.Result<Journal, E>
}

/** Does the work if its key is new. Later calls get the first answer, or a refusal if their fingerprint differs. */
export const decideOnce = <E extends Refusal = InvalidAmount>(
  { account, open, record }: Pick<View, "account" | "open" | "record">,
  { userId, key, fingerprint, now, post }: OnceWork<E>
): Decision<Transaction, OnceRefusal | E> => {
  const refuse = (error: OnceRefusal | E) => ({ answer: Result.fail(error), changes: undefined })
  if (account === undefined) return refuse(new AccountNotFound({ userId }))
  if (record?.fingerprint === fingerprint && record.transaction !== undefined) {
    return { answer: Result.succeed(record.transaction), changes: undefined }
  }
  if (open !== undefined || record !== undefined) return refuse(new KeyConflict({ key }))
  const posted = post(account)
  if (Result.isFailure(posted)) return refuse(posted.failure)
  const transaction = newest(posted.success)
  return {
    answer: Result.succeed(transaction),
    changes: {
      ...posted.success,
      opened: [],
      closed: [],
      records: [{ key, fingerprint, at: now, hold: undefined, transaction }],
      purchases: []
    }
  }
}
