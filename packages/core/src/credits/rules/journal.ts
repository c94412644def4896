import type { LedgerAccount } from "./LedgerState.ts"
import { modelOf, type Receipt } from "../Receipt.ts"
import type { Transaction, TransactionType } from "../Transaction.ts"
import { withTransaction } from "./transactionCounts.ts"

/** An account with the transactions written since it was loaded. */
export interface Journal {
  readonly account: LedgerAccount
  readonly transactions: ReadonlyArray<Transaction>
}

/** What one transaction says. */
export interface Posting {
  readonly type: TransactionType
  /** Signed changes, as in `Transaction`; what they do not explain of `amount` changes the debt. */
  readonly amount: number
  readonly allowance: number
  readonly topup: number
  readonly reference: string
  /** Unix milliseconds. */
  readonly at: number
  readonly receipt?: Receipt
  /** The payment, where the row is about a purchase. */
  readonly charge?: string | undefined
}

/** `journal` with one more transaction, and the account as it stands after it. */
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
