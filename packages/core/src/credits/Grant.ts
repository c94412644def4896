import type { UserId } from "../identity/UserId.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { Payment } from "./Correction.ts"
import type { TransactionType } from "./Transaction.ts"

export interface OpenAccountInput {
  readonly userId: UserId
  readonly tier: TierName
  /** The first period's allowance. */
  readonly allowance: number
}

export interface GrantInput {
  readonly userId: UserId
  readonly key: string
  readonly type: Extract<TransactionType, "topup" | "grant">
  /** One or more whole credits; they repay debt first and then go to the top-up bucket. */
  readonly amount: number
  /** What was paid for top-ups, so that refunds and disputes find the purchase. A charge pays for one purchase. */
  readonly payment?: Payment | undefined
}
