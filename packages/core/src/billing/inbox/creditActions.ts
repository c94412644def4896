import { Result } from "effect"
import {
  type GrantRefusal,
  grant,
  dispute,
  type PurchaseRefusal,
  refund
} from "../../credits/rules/grantsAndCorrections.ts"
import { type FollowedPlan, followPlan } from "../../credits/rules/followPlan.ts"
import type { Operation, Refusal } from "../../credits/rules/LedgerState.ts"
import { takeFromPeriod } from "../../credits/rules/takeFromPeriod.ts"
import type { Transaction } from "../../credits/Transaction.ts"
import type { CreditAction, PaymentDecision } from "../decide/PaymentDecision.ts"
import { type FollowedPeriod, withTaken, withTakenBeyond } from "../FollowedPeriod.ts"

export type ActionRefusal = GrantRefusal | PurchaseRefusal

const moving = <E extends Refusal>(operation: Operation<Transaction | undefined, E>): Operation<FollowedPlan, E> => ({
  ...operation,
  decide: (view, now) => {
    const { answer, changes } = operation.decide(view, now)
    return { answer: Result.map(answer, (transaction) => ({ transaction, left: undefined })), changes }
  }
})

/** Returns the ledger operation of an action. */
export const operationOf = (action: CreditAction): Operation<FollowedPlan, ActionRefusal> => {
  switch (action._tag) {
    case "FollowPlan":
      return followPlan(action.input)
    case "Grant":
      return moving(grant(action.input))
    case "Refund":
      return moving(refund(action.input))
    case "Dispute":
      return moving(dispute(action.input))
    case "TakeFromPeriod":
      return moving(takeFromPeriod(action.input))
  }
}

/** Returns the followed period after an action that took credits from it or from a past period, or returned credits. */
const afterTaking = (
  followed: FollowedPeriod,
  { input: { amount, beyond }, of }: Extract<CreditAction, { readonly _tag: "TakeFromPeriod" }>,
  { allowanceAmount }: Transaction
): FollowedPeriod => {
  if (of !== undefined) return withTakenBeyond(followed, of, amount)
  const allowance = amount > 0 ? 0 - allowanceAmount : amount + beyond
  return withTaken(followed, { allowance, beyond: amount - allowance })
}

/** Returns a decision with the followed period after its actions, computed from the ledger's answers. */
export const afterActions = (
  decision: PaymentDecision,
  answers: ReadonlyArray<FollowedPlan>
): Omit<PaymentDecision, "actions"> => {
  const { actions, ...rest } = decision
  let { followed } = rest
  for (const [place, action] of actions.entries()) {
    const { left, transaction } = answers[place] as FollowedPlan
    if (action._tag === "FollowPlan") followed = action.followed(followed, left)
    if (action._tag === "TakeFromPeriod" && transaction !== undefined) {
      followed = followed && afterTaking(followed, action, transaction)
    }
  }
  return { ...rest, followed }
}
