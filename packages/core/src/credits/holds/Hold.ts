import type { UserId } from "../../identity/UserId.ts"
import { type Account, type Buckets, type Split, availableOf } from "../Account.ts"
import type { Receipt, ReceiptDraft } from "../Transaction.ts"
import type { Spender } from "../Spender.ts"
import { InsufficientCredits } from "../errors.ts"

export interface ReserveInput {
  readonly userId: UserId
  /** The business event for which the credits are held, for example `reply:<message id>`. */
  readonly key: string
  /**
   * A description of the request behind the key: the same key with another description is refused. Made from the
   * amounts and the model unless given.
   */
  readonly fingerprint?: string | undefined
  /** The upper bound of what will be charged. */
  readonly amount: number
  /** The smallest useful amount: if the balance contains less than `amount`, but at least this, the balance is held. */
  readonly minimumAmount: number
  /** The maximum number of open holds of the account, this one included: 1 or more, no bound unless given. */
  readonly openAtMost?: number | undefined
  /** The lifetime of the hold without a renewal. */
  readonly ttlMs: number
  /** The spender of the credits. */
  readonly source: Spender
  /**
   * The maximum that all spenders of this kind may spend of the account on one UTC day, open holds included: zero or
   * more whole credits, no maximum unless given. If less than `amount` remains of it, less is held.
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
  /** Unix milliseconds: the start of the period to which the allowance part belongs. */
  readonly periodStart: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/**
 * The hold; or the account's credits, if they did not cover the smallest useful amount; or `Busy`, if the account has
 * the maximum number of open holds.
 */
export type Reserved =
  | {
      readonly _tag: "Held"
      readonly hold: Hold
      /** True if another call had reserved the same key before; the hold may have ended since. */
      readonly replayed: boolean
      /** `open`, or the way in which the hold ended. */
      readonly state: "open" | "settled" | "released"
    }
  | { readonly _tag: "Busy"; readonly open: number }
  | { readonly _tag: "Refused"; readonly buckets: Buckets; readonly nextResetAt: number }

/** The account is not on the tier that the caller expected: `account` is its present state. */
export interface OnOtherTier {
  readonly _tag: "OnOtherTier"
  readonly account: Account
}

/** The owner and the key of a hold, which identify it. */
export interface HoldName {
  readonly userId: UserId
  readonly key: string
}

export interface SettleInput extends HoldName {
  /**
   * The actual price of the reply: whole credits, zero or more. The part of it that exceeds the hold is not charged.
   */
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
   * The draft by which a sweeper charges the reply if its process dies. Given only if it is more exact than the draft
   * of the reservation.
   */
  readonly draft?: ReceiptDraft | undefined
}

export interface RenewInput {
  readonly holds: ReadonlyArray<HoldProgress>
  /** The time from now until the holds expire, unless they are renewed again. */
  readonly ttlMs: number
}

/** The result of a renewal. */
export interface Renewed {
  readonly renewed: number
  /** Holds in this call that are not open: they have ended, or never existed. */
  readonly gone: ReadonlyArray<Pick<HoldProgress, "userId" | "key">>
}

export const NOTHING_RENEWED: Renewed = { renewed: 0, gone: [] }

export interface SweepInput {
  /** The maximum number of holds. */
  readonly limit: number
}

/** The holds that a sweep ended. */
export interface Swept {
  /** The number of ended holds with delivered output: charged for the input and the output recorded last. */
  readonly charged: number
  /** The number of ended holds without delivered output. */
  readonly released: number
  /** The charged credits. */
  readonly credits: number
  /** Held credits that were not charged, and are available again. */
  readonly returned: number
  /**
   * The number of accounts whose holds the storage refused to end, because rows of the account contradict each other.
   */
  readonly refused: number
}

export const NOTHING_SWEPT: Swept = { charged: 0, released: 0, credits: 0, returned: 0, refused: 0 }

/** Adds the counts of two sweeps. */
export const addSwept = (a: Swept, b: Swept): Swept => ({
  charged: a.charged + b.charged,
  released: a.released + b.released,
  credits: a.credits + b.credits,
  returned: a.returned + b.returned,
  refused: a.refused + b.refused
})

/** The error if no credits were held: the amount that would have been enough, and the account's credits. */
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
