import type { InMemoryEventLog } from "../events/InMemoryEventLog.ts"
import type { EventDraft } from "../events/ParleyEvent.ts"
import type { Account } from "./Account.ts"
import { isOfReply, modelOf, type Transaction } from "./Transaction.ts"

const REPLY = "reply:"
/** Matches the key of a hold for the rest of a reply (`restKey`), whose reply was already reported in an event. */
const REST = /:rest:\d+$/

const replyFinished = (
  account: string,
  { createdAt: at, receipt, reference, source }: Transaction
): ReadonlyArray<EventDraft> => {
  if (receipt === undefined || !isOfReply(receipt) || source === undefined || REST.test(reference)) return []
  const { charged, chatId, ended, estimated, model, usage } = receipt
  const replyId = reference.startsWith(REPLY) ? reference.slice(REPLY.length) : reference
  const about = { account, source, replyId, ...(chatId !== undefined && { chatId }), model, finish: ended }
  return [{ type: "reply.finished", at, data: { ...about, tokens: usage, estimated, credits: charged } }]
}

const creditsCharged = (account: string, transaction: Transaction): ReadonlyArray<EventDraft> => {
  const { amount, balanceAfter: balance, createdAt: at, receipt, reference: key, source } = transaction
  if (source === undefined || amount >= 0) return []
  const model = modelOf(receipt)
  const data = { account, credits: -amount, balance, key, source, ...(model !== undefined && { model }) }
  return [{ type: "credits.charged", at, data }]
}

/** The event of a purchase, or of credits that were taken back of a purchase or returned. */
const purchased = (account: string, transaction: Transaction): ReadonlyArray<EventDraft> => {
  const { amount, balanceAfter: balance, charge, createdAt: at, reference: key, type } = transaction
  const about = { account, balance, key, ...(charge !== undefined && { payment: charge }) }
  if (type === "topup") return [{ type: "credits.purchased", at, data: { ...about, credits: amount } }]
  if (type !== "refund" || amount === 0) return []
  return [{ type: "credits.refunded", at, data: { ...about, credits: -amount } }]
}

type Log = Pick<InMemoryEventLog["Service"], "lowBalances" | "lowBelow" | "tell">

/**
 * Publishes `balance.low` if a transaction brought the balance below the threshold of the tier: the balance was not low
 * before, or was not below this threshold.
 */
const tellBalance = (
  log: Log,
  { tier, userId }: Account,
  { amount, balanceAfter: balance, createdAt: at }: Transaction
): void => {
  const threshold = log.lowBelow(tier)
  if (threshold === undefined) return
  const isLow = balance < threshold
  const wasLow = log.lowBalances.has(userId) && balance - amount < threshold
  if (isLow) log.lowBalances.set(userId, true)
  else log.lowBalances.delete(userId)
  if (isLow && !wasLow) log.tell({ type: "balance.low", at, data: { account: userId, balance, threshold, tier } })
}

const tellPlan = (log: Log, before: Account | undefined, { tier, userId }: Account, at: number | undefined): void => {
  if (before === undefined || before.tier === tier || at === undefined) return
  log.tell({ type: "plan.changed", at, data: { account: userId, tier, previousTier: before.tier } })
}

/**
 * Publishes the events of an account's new transactions, in their order, and of a changed plan. `before` is the account
 * before the transactions, `account` the account after them. In the database, the functions `tell_transactions` and
 * `tell_plan` do the same.
 */
export const publishTransactionEvents = (
  log: Log,
  before: Account | undefined,
  account: Account,
  transactions: ReadonlyArray<Transaction>
): void => {
  tellPlan(log, before, account, transactions.at(-1)?.createdAt)
  for (const transaction of transactions) {
    for (const event of replyFinished(account.userId, transaction)) log.tell(event)
    for (const event of creditsCharged(account.userId, transaction)) log.tell(event)
    for (const event of purchased(account.userId, transaction)) log.tell(event)
    tellBalance(log, account, transaction)
  }
}
