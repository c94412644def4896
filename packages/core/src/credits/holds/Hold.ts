import type { UserId } from "../../identity/UserId.ts"
import { type Account, type Buckets, type Split, availableOf } from "../Account.ts"
import type { Receipt, ReceiptDraft } from "../Transaction.ts"
import type { Spender } from "../Spender.ts"
import { InsufficientCredits } from "../errors.ts"

export interface ReserveInput {
  readonly userId: UserId
  /** The business event the credits are held for, for example `reply:<message id>`. */
  readonly key: string
  /** The request behind the key, in words: the same key with other words is refused. Amounts and model unless given. */
  readonly fingerprint?: string | undefined
  /** The upper bound of what will be charged. */
  readonly amount: number
  /** The least useful amount: if the balance has less than `amount`, an amount between this and `amount` is held. */
  readonly minimumAmount: number
  /** The maximum number of open holds of the account, this one included: 1 or more, no bound unless given. */
  readonly openAtMost?: number | undefined
  /** The lifetime of the hold without a renewal. */
  readonly ttlMs: number
  /** The source that spends the credits. */
  readonly source: Spender
  /**
   * The most that all sources of this source's kind may spend of the account on one UTC day, open holds counted: zero
   * or more whole credits, no bound unless given. If less than `amount` is left of it, less is held.
   */
  readonly dailyCap?: number | undefined
  /** The draft by which a sweeper charges the hold of a dead process. */
  readonly draft: ReceiptDraft
}

/** Credits set aside for one reply. */
export interface Hold {
  readonly userId: UserId
  readonly key: string
  /** The held amount: `allowance + topup`, from these two buckets. */
  readonly amount: number
  readonly from: Split
  /** Unix milliseconds: start of the period the allowance part belongs to. */
  readonly periodStart: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/**
 * Either the hold, or the account's credits if the least useful amount did not fit, or the fact that the maximum number
 * of holds is open.
 */
export type Reserved =
  | {
      readonly _tag: "Held"
      readonly hold: Hold
      /** True if another call had reserved the same key before; the hold may have ended since. */
      readonly replayed: boolean
      /** Whether the hold is still open, or how it ended. */
      readonly state: "open" | "settled" | "released"
    }
  | { readonly _tag: "Busy"; readonly open: number }
  | { readonly _tag: "Refused"; readonly buckets: Buckets; readonly nextResetAt: number }

/** The account is on another tier than it was taken to be: this is how it is. */
export interface OnOtherTier {
  readonly _tag: "OnOtherTier"
  readonly account: Account
}

/** The hold's name. */
export interface HoldName {
  readonly userId: UserId
  readonly key: string
}

export interface SettleInput extends HoldName {
  /** The actual price of the reply: whole credits, zero or more. The part that exceeds the hold is not charged. */
  readonly amount: number
  readonly draft: ReceiptDraft
}

export type ReleaseInput = HoldName

/** The end of a hold. A second settle or release returns the first one's answer. */
export type HoldEnd =
  | { readonly _tag: "Settled"; readonly receipt: Receipt; readonly transactionId: string }
  | { readonly _tag: "Released" }

/** The progress of the reply of an open hold. */
export interface HoldProgress {
  readonly userId: UserId
  readonly key: string
  /** Output tokens delivered so far, zero or more. */
  readonly outputTokens: number
  /**
   * The draft by which a sweeper charges the reply if its process dies, if it is known better than when the credits
   * were reserved.
   */
  readonly draft?: ReceiptDraft | undefined
}

export interface RenewInput {
  readonly holds: ReadonlyArray<HoldProgress>
  /** The lifetime of the holds from now on without another renewal. */
  readonly ttlMs: number
}

/** The result of a renewal. */
export interface Renewed {
  readonly renewed: number
  /** Holds of the call that are not open: they were ended, or never were. */
  readonly gone: ReadonlyArray<Pick<HoldProgress, "userId" | "key">>
}

export const NOTHING_RENEWED: Renewed = { renewed: 0, gone: [] }

export interface SweepInput {
  /** Holds at most. */
  readonly limit: number
}

/** The holds that a sweep ended. */
export interface Swept {
  /** Holds whose reply had delivered something: charged for the input and the output last recorded. */
  readonly charged: number
  /** Holds whose reply had delivered nothing. */
  readonly released: number
  /** Credits charged. */
  readonly credits: number
  /** Held credits that were not charged, and so came back. */
  readonly returned: number
  /** Accounts whose holds the storage refused to end, since their rows contradict each other. */
  readonly refused: number
}

export const NOTHING_SWEPT: Swept = { charged: 0, released: 0, credits: 0, returned: 0, refused: 0 }

/** Two sweeps as one. */
export const addSwept = (a: Swept, b: Swept): Swept => ({
  charged: a.charged + b.charged,
  released: a.released + b.released,
  credits: a.credits + b.credits,
  returned: a.returned + b.returned,
  refused: a.refused + b.refused
})

/** The reason why nothing was held: the amount that would have been enough, and the account's credits. */
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
