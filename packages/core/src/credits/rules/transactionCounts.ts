import { TRANSACTION_TYPES, type TransactionType } from "../Transaction.ts"

/**
 * What an account knows of its transactions by type: for each of `TRANSACTION_TYPES`, in that order, how many there are
 * and the number of the newest, 0 where there is none. So any page of one type is found without counting.
 */
export type TransactionCounts = ReadonlyArray<number>

export const NO_TRANSACTIONS: TransactionCounts = TRANSACTION_TYPES.flatMap(() => [0, 0])

/** How many transactions of a type there are, and the number of the newest. */
export const countsOf = (
  counts: TransactionCounts,
  type: TransactionType
): { readonly count: number; readonly newest: number } => {
  const place = 2 * TRANSACTION_TYPES.indexOf(type)
  return { count: counts[place] ?? 0, newest: counts[place + 1] ?? 0 }
}

/** `counts` with one more transaction. */
export const withTransaction = (
  counts: TransactionCounts,
  type: TransactionType,
  number: number
): TransactionCounts => {
  const place = 2 * TRANSACTION_TYPES.indexOf(type)
  return counts.map((value, index) => (index === place ? value + 1 : index === place + 1 ? number : value))
}
