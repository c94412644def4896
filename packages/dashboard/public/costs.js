import { readCreditHistory } from "./api.js"

/** @typedef {{ credits: number, estimated: boolean }} Cost */

/**
 * What the person's latest replies cost, by message id: the ledger names a reply's charge `reply:<message id>`.
 * @param {number} limit how many charges to look at
 * @returns {Promise<Map<string, Cost>>}
 */
export const readCosts = async (limit) => {
  const { transactions } = await readCreditHistory({ limit, offset: 0, type: "usage" })
  return new Map(
    transactions
      .filter((transaction) => transaction.reference.startsWith("reply:"))
      .map((transaction) => [
        transaction.reference.slice("reply:".length),
        { credits: -transaction.amount, estimated: transaction.receipt?.estimated ?? false }
      ])
  )
}
