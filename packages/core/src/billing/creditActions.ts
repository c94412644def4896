import { Result } from "effect"
import { type GrantRefusal, grantOperation } from "../credits/rules/decideAccount.ts"
import { disputeOperation, type PurchaseRefusal, refundOperation } from "../credits/rules/decideCorrection.ts"
import { type FollowedPlan, followPlanOperation } from "../credits/rules/followPlan.ts"
import type { Operation, Refusal } from "../credits/rules/LedgerState.ts"
import { takeFromPeriodOperation } from "../credits/rules/takeFromPeriod.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { CreditAction, PaymentDecision } from "./decidePayment.ts"
import { withTaken } from "./FollowedPeriod.ts"

export type ActionRefusal = GrantRefusal | PurchaseRefusal

const moving = <E extends Refusal>(operation: Operation<Transaction | undefined, E>): Operation<FollowedPlan, E> => ({
  ...operation,
  decide: (view, now) => {
    const { answer, changes } = operation.decide(view, now)
    return { answer: Result.map(answer, (transaction) => ({ transaction, left: undefined })), changes }
  }
})

/** The operation of the ledger that an action is. */
export const operationOf = (action: CreditAction): Operation<FollowedPlan, ActionRefusal> => {
  switch (action._tag) {
    case "FollowPlan":
      return followPlanOperation(action.input)
    case "Grant":
      return moving(grantOperation(action.input))
    case "Refund":
      return moving(refundOperation(action.input))
    case "Dispute":
      return moving(disputeOperation(action.input))
    case "TakeFromPeriod":
      return moving(takeFromPeriodOperation(action.input))
  }
}

/** A decision with the period as it is followed once its actions are done, by what the ledger answered to each. */
export const afterActions = (
  decision: PaymentDecision,
  answers: ReadonlyArray<FollowedPlan>
): Omit<PaymentDecision, "actions"> => {
  const { actions, ...rest } = decision
  let { followed } = rest
  for (const [place, action] of actions.entries()) {
    const { left, transaction } = answers[place] as FollowedPlan
    if (action._tag === "FollowPlan") followed = action.followed(left)
    if (action._tag === "TakeFromPeriod" && action.counts) {
      followed = followed && withTaken(followed, 0 - (transaction?.amount ?? 0))
    }
  }
  return { ...rest, followed }
}
