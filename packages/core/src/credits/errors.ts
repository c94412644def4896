import { Schema } from "effect"
import { countOf, momentOf } from "../storage/spokenNumbers.ts"

/**
 * The balance is too low for the reply, for the shortest useful reply, or for the metered work. No credits were held.
 */
export class InsufficientCredits extends Schema.TaggedError<InsufficientCredits>()("InsufficientCredits", {
  /** The smallest amount that would have been enough. */
  required: Schema.Int,
  available: Schema.Int,
  allowance: Schema.Int,
  topup: Schema.Int,
  held: Schema.Int,
  debt: Schema.Int,
  /** Unix milliseconds: when the next period begins. */
  nextResetAt: Schema.Int,
  /** Names of the allowed models for which the balance covers the estimated price of the shortest reply. */
  affordableModels: Schema.Array(Schema.String)
}) {
  readonly code = "insufficient_credits"
  override get message() {
    const cheaper = this.affordableModels.length === 0 ? "" : "choose a cheaper model, "
    return `This may need ${countOf(this.required, "credit")}, and you have ${countOf(this.available, "credit")}. Buy credits, ${cheaper}or wait until ${momentOf(this.nextResetAt)}, when your monthly credits come.`
  }
}

/** The lines of metered work are invalid. No credits were charged for the work. */
export class InvalidWork extends Schema.TaggedError<InvalidWork>()("InvalidWork", {
  key: Schema.String,
  reason: Schema.String
}) {
  readonly code = "invalid_work"
  override get message() {
    return `The work ${JSON.stringify(this.key)} cannot be metered: ${this.reason}.`
  }
}

/** Another call is doing this work at the moment. Nothing was done. */
export class WorkInProgress extends Schema.TaggedError<WorkInProgress>()("WorkInProgress", {
  key: Schema.String,
  retryAfterMs: Schema.Finite
}) {
  readonly code = "work_in_progress"
  override get message() {
    return `The work ${JSON.stringify(this.key)} is being done already. Ask again when it has ended, for what it gave.`
  }
}

/**
 * The hold of the work expired without a renewal, for example because the process was suspended: a sweeper ended the
 * hold, and charged the usage recorded until then. If the work was reported later, the balance did not contain the
 * credits for it.
 */
export class WorkExpired extends Schema.TaggedError<WorkExpired>()("WorkExpired", {
  key: Schema.String,
  /** Whole credits that were charged for recorded lines; zero if there were none. */
  charged: Schema.Int,
  /**
   * Whole credits that the late report would still cost, and the credits that the balance contains; absent if there was
   * no report.
   */
  required: Schema.optionalKey(Schema.Int),
  available: Schema.optionalKey(Schema.Int)
}) {
  readonly code = "work_expired"
  override get message() {
    const what = `The work ${JSON.stringify(this.key)} gave no sign of life for too long, and its hold was ended.`
    const charged =
      this.charged === 0
        ? "Nothing was charged"
        : `Charged for what it had recorded: ${countOf(this.charged, "credit")}`
    if (this.required === undefined) return `${what} ${charged}${this.charged === 0 ? "; try again." : "."}`
    return `${what} ${charged}. The report needs ${countOf(this.required, "credit")} more, and ${this.available ?? 0} are available: report it again when the balance has them.`
  }
}

/**
 * The parts of a daily cap that can be used up while the cap as a whole is not: the part of one bot, and of one
 * address.
 */
export const DAILY_SHARES = ["bot", "address"] as const
export type DailyShareName = (typeof DAILY_SHARES)[number]

/**
 * The account's daily cap is used up: by all spenders of a kind, by one bot, or by the visitors of one address. No
 * credits were held.
 */
export class DailyCapReached extends Schema.TaggedError<DailyCapReached>()("DailyCapReached", {
  /** The kind of spender, for example `bot`. */
  kind: Schema.String,
  /**
   * The part of the daily cap that is used up: that of one bot, or of the visitors of one address. Absent if all
   * spenders of the kind together have used up the cap.
   */
  share: Schema.optionalKey(Schema.Literals(DAILY_SHARES)),
  /** The maximum number of credits a day. */
  cap: Schema.Int,
  /** The credits charged today and those that open holds have set aside. */
  spent: Schema.Int,
  /** Unix milliseconds: when the next UTC day begins. */
  resetsAt: Schema.Int,
  /** Milliseconds until `resetsAt`. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "daily_cap_reached"
  override get message() {
    const whom = this.share === undefined ? `every ${this.kind} of the account together` : `one ${this.share}`
    return `Today's limit of ${countOf(this.cap, "credit")} for ${whom} is used up. Raise the limit, or wait until ${momentOf(this.resetsAt)}.`
  }
}

/** The same business key was used with another fingerprint, which is an error of the caller. Nothing was done. */
export class KeyConflict extends Schema.TaggedError<KeyConflict>()("KeyConflict", { key: Schema.String }) {
  readonly code = "idempotency_conflict"
  override get message() {
    return `The key ${this.key} was already used for something else. Use a new key.`
  }
}

/** There is no such account. */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  userId: Schema.String
}) {
  readonly code = "account_not_found"
  override get message() {
    return `There is no account for ${JSON.stringify(this.userId)}. It opens when the person signs in, or when credits are reserved for them.`
  }
}

/**
 * The person has no reply with this id, or the reply was not charged: it is still being written, or its hold was
 * released.
 */
export class ReceiptNotFound extends Schema.TaggedError<ReceiptNotFound>()("ReceiptNotFound", {
  messageId: Schema.String
}) {
  readonly code = "receipt_not_found"
  override get message() {
    return `There is no receipt for the reply ${this.messageId}: it was not charged, or not yet.`
  }
}

/** The days of a usage report are not valid days, are in the wrong order, or are too many. */
export class InvalidUsageRange extends Schema.TaggedError<InvalidUsageRange>()("InvalidUsageRange", {
  maxDays: Schema.Int
}) {
  readonly code = "invalid_usage_range"
  override get message() {
    return `Ask for usage from one day to another, as 2026-11-30, at most ${this.maxDays} days together.`
  }
}

/** There is no such hold. */
export class HoldNotFound extends Schema.TaggedError<HoldNotFound>()("HoldNotFound", { key: Schema.String }) {
  readonly code = "hold_not_found"
  override get message() {
    return `There is no hold ${this.key}.`
  }
}

/** No purchase of this person has been reported for this charge yet. No credits were taken or granted. */
export class PurchaseNotFound extends Schema.TaggedError<PurchaseNotFound>()("PurchaseNotFound", {
  userId: Schema.String,
  charge: Schema.String
}) {
  readonly code = "purchase_not_found"
  override get message() {
    return `${JSON.stringify(this.userId)} has no purchase paid for by ${this.charge}. Report the purchase first, then this again.`
  }
}

/** The report contradicts the granted credits or the paid amount of the purchase. No credits were taken or granted. */
export class PurchaseConflict extends Schema.TaggedError<PurchaseConflict>()("PurchaseConflict", {
  charge: Schema.String
}) {
  readonly code = "purchase_conflict"
  override get message() {
    return `The charge ${this.charge} is known as another purchase: what it gave or what was paid for it differs. Compare it with the payment provider.`
  }
}

/** A reset was requested for a time in the future without a confirmation that this is intended. Nothing was done. */
export class ResetTooEarly extends Schema.TaggedError<ResetTooEarly>()("ResetTooEarly", {
  /** Unix milliseconds: the requested time; `now` is the ledger's time. */
  asOf: Schema.Int,
  now: Schema.Int
}) {
  readonly code = "reset_too_early"
  override get message() {
    const [asOf, now] = [this.asOf, this.now].map((at) => new Date(at).toISOString())
    return `${asOf} has not come: it is ${now}. Resetting now what is due then ends periods that people have paid for, and cannot be undone. Look with --dry-run; if it is meant, add --yes.`
  }
}

/**
 * A change within a subscription was reported for a person without a subscription. Nothing was done; the change may be
 * reported again.
 */
export class SubscriptionNotFound extends Schema.TaggedError<SubscriptionNotFound>()("SubscriptionNotFound", {
  userId: Schema.String
}) {
  readonly code = "subscription_not_found"
  override get message() {
    return `${JSON.stringify(this.userId)} has no subscription whose plan could change. Report the subscription first, then this change again.`
  }
}

/** The account has open holds: work is being paid from it at this moment. Nothing was done. */
export class HoldsOpen extends Schema.TaggedError<HoldsOpen>()("HoldsOpen", { open: Schema.Int }) {
  readonly code = "holds_open"
  override get message() {
    return `${countOf(this.open, "reply", "replies")} of this account ${this.open === 1 ? "is" : "are"} still being written. Try again within minutes, when that has ended.`
  }
}

/** An amount is not a whole number in range, or would raise a bucket above its maximum. */
export class InvalidAmount extends Schema.TaggedError<InvalidAmount>()("InvalidAmount", { reason: Schema.String }) {
  readonly code = "invalid_amount"
  override get message() {
    return `The amount is not acceptable: ${this.reason}.`
  }
}
