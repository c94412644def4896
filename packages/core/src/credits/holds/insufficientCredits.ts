import { availableOf } from "../Account.ts"
import { InsufficientCredits } from "../errors.ts"
import type { Reserved } from "./Hold.ts"

/** Why nothing was held: what would have been enough, and what the account has. */
export const insufficientCredits = (
  required: number,
  { buckets, nextResetAt }: Extract<Reserved, { readonly _tag: "Refused" }>,
  affordableModels: ReadonlyArray<string> = []
): InsufficientCredits =>
  new InsufficientCredits({
    required,
    available: availableOf(buckets),
    allowance: buckets.allowance - buckets.heldAllowance,
    topup: buckets.topup - buckets.heldTopup,
    held: buckets.heldAllowance + buckets.heldTopup,
    debt: buckets.debt,
    nextResetAt,
    affordableModels
  })
