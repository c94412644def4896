import { Result } from "effect"
import {
  type AdjustInput,
  disputeKey,
  type DisputeInput,
  type PurchaseStatement,
  purchaseKey,
  refundKey,
  type RefundInput,
  refundPrefix
} from "../Correction.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { AccountNotFound, InvalidAmount, PurchaseConflict, PurchaseNotFound } from "../errors.ts"
import { give, takeBack } from "./giveAndTake.ts"
import type { Decision, Operation, View } from "./LedgerState.ts"
import { isNewer, outOf, purchaseContent, type Told, toldBy } from "./purchaseTold.ts"
import type { Transaction } from "../Transaction.ts"

export type PurchaseRefusal = OnceRefusal | PurchaseNotFound | PurchaseConflict

/** A business key of a purchase, or of one of its refunds and disputes, and what its transaction moved. */
export interface PurchaseFact {
  readonly key: string
  readonly content: string
  readonly amount: number
}

const refuse = (error: PurchaseRefusal): Decision<never, PurchaseRefusal> => ({
  answer: Result.fail(error),
  changes: undefined
})
const invalid = (reason: string): Decision<never, InvalidAmount> => ({
  answer: Result.fail(new InvalidAmount({ reason })),
  changes: undefined
})

const isWhole = (value: number, minimum: number) => Number.isSafeInteger(value) && value >= minimum

const wrongStatement = ({ granted, paid, toldAt }: PurchaseStatement, part: number): string | undefined => {
  if (!isWhole(granted, 1)) return "what was granted must be a whole number of credits, 1 or more"
  if (!isWhole(paid, 1)) return "what was paid must be a whole number, 1 or more"
  if (!isWhole(toldAt, 0)) return "when it was told must be a time in whole milliseconds"
  return isWhole(part, 0) && part <= paid ? undefined : "no more than was paid can be taken back"
}

/** What a provider said of one refund or dispute. */
interface Statement extends Told {
  readonly name: string
  readonly purchase: PurchaseStatement
  /** The key of the first such statement; what is said again later is told from it by its time. */
  readonly key: string
  readonly content: string
}

/**
 * Takes back, or gives back, what a statement changes: afterwards exactly the parts that are out by the latest statement
 * of the refund and of each dispute are taken, `floor(granted * part / paid)` each and never more than was granted in
 * all. So the order in which they come does not matter. `facts` are those of the charge so far, read under the
 * account's lock.
 */
const correct = (
  view: View,
  { purchase, key, content, ...said }: Statement,
  facts: ReadonlyArray<PurchaseFact>,
  now: number
): Decision<Transaction, PurchaseRefusal> => {
  const { userId, charge } = purchase
  const wrong = wrongStatement(purchase, said.part)
  if (wrong !== undefined) return invalid(wrong)
  if (view.account === undefined) return refuse(new AccountNotFound({ userId }))
  const bought = facts.find((fact) => fact.key === purchaseKey(purchase))
  if (bought === undefined) return refuse(new PurchaseNotFound({ userId, charge }))
  if (bought.content !== purchaseContent(purchase)) return refuse(new PurchaseConflict({ charge }))
  const earlier = facts.filter((fact) => fact.key.startsWith(refundPrefix(purchase)))
  const taken = earlier.reduce((sum, { amount }) => sum - amount, 0)
  const latest = new Map<string, Told>()
  for (const told of [...earlier.flatMap((fact) => toldBy(fact.content) ?? []), said]) {
    const before = latest.get(told.source)
    if (before === undefined || isNewer(told, before)) latest.set(told.source, told)
  }
  const due = outOf(purchase, [...latest.values()])
  const reason = { type: "refund", reference: key, at: now } as const
  return decideOnce(view, {
    userId,
    key,
    content,
    now,
    post: (account) => (due >= taken ? takeBack(account, due - taken, reason) : give(account, taken - due, reason))
  })
}

const correction = (
  { key: first, ...statement }: Statement,
  facts: ReadonlyArray<PurchaseFact>
): Operation<Transaction, PurchaseRefusal> => {
  const used = facts.find((fact) => fact.key === first)
  const isFirst = used === undefined || used.content === statement.content
  const key = isFirst ? first : `${first}:${statement.part}:${statement.toldAt}`
  return {
    name: statement.name,
    userId: statement.purchase.userId,
    key,
    decide: (view, now) => correct(view, { ...statement, key }, facts, now)
  }
}

/** Makes what is taken back for a purchase follow what is refunded of it, up or down. */
export const refundOperation = (
  input: RefundInput,
  facts: ReadonlyArray<PurchaseFact>
): Operation<Transaction, PurchaseRefusal> => {
  const { granted, paid, refunded: part, toldAt } = input
  const content = `refund ${granted} ${paid} ${part} ${toldAt}`
  const told = { source: "refund", part, isWon: false, toldAt }
  return correction({ ...told, name: "refund", purchase: input, key: refundKey(input), content }, facts)
}

/** Makes what is taken back for a purchase follow a dispute: its amount while it runs, nothing once it is won. */
export const disputeOperation = (
  input: DisputeInput,
  facts: ReadonlyArray<PurchaseFact>
): Operation<Transaction, PurchaseRefusal> => {
  const { granted, paid, disputed: part, toldAt, funds, dispute } = input
  const content = `dispute ${granted} ${paid} ${part} ${toldAt} ${funds} ${dispute}`
  const told = { source: `dispute ${dispute}`, part, isWon: funds === "reinstated", toldAt }
  return correction({ ...told, name: "dispute", purchase: input, key: disputeKey(input), content }, facts)
}

/** An operator's correction, with a reason. */
export const adjustOperation = (input: AdjustInput): Operation<Transaction, OnceRefusal> => ({
  name: "adjust",
  userId: input.userId,
  key: input.key,
  decide: (view, now) => {
    const { userId, key, amount, reason } = input
    if (!Number.isSafeInteger(amount) || amount === 0) return invalid("it must be a whole number of credits, not zero")
    const posting = { type: "adjustment", reference: key, at: now } as const
    return decideOnce(view, {
      userId,
      key,
      content: `adjustment ${amount} ${reason}`,
      now,
      post: (account) => (amount > 0 ? give(account, amount, posting) : takeBack(account, -amount, posting))
    })
  }
})
