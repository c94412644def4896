import { Schema } from "effect"
import { countOf } from "../storage/spokenNumbers.ts"

/** The limits that may refuse a visitor's call: messages in a minute, or replies written at once. */
export const VISITOR_LIMITS = ["ip", "conversation", "bot", "ip-streams", "bot-streams"] as const
export type VisitorLimit = (typeof VISITOR_LIMITS)[number]

const REFUSALS = {
  ip: { code: "visitor_rate_limited", sentence: "Too many messages were sent from your connection" },
  conversation: { code: "conversation_rate_limited", sentence: "Too many messages were sent in this conversation" },
  bot: { code: "bot_rate_limited", sentence: "Many people are writing at the moment" },
  "ip-streams": { code: "too_many_visitor_streams", sentence: "Too many replies to your connection are being written" },
  "bot-streams": { code: "too_many_bot_streams", sentence: "Many people are writing at the moment" }
} as const satisfies Record<VisitorLimit, unknown>

/**
 * A visitor's call was refused because of a limit. The error names the limit if the visitor has used it up; of a limit
 * of the bot it says only that the bot is busy.
 */
export class VisitorLimitReached extends Schema.TaggedError<VisitorLimitReached>()("VisitorLimitReached", {
  limit: Schema.Literals(VISITOR_LIMITS),
  /** The maximum number of calls or replies. */
  quota: Schema.Int,
  /** The length of the limit's window in milliseconds; undefined for a limit on concurrent replies. */
  windowMs: Schema.optional(Schema.Finite),
  /** Milliseconds after which a retry may succeed. */
  retryAfterMs: Schema.Finite
}) {
  get code() {
    return REFUSALS[this.limit].code
  }
  /** The limit as the client sees it. */
  get rateLimit() {
    const { limit: policy, quota, windowMs } = this
    return windowMs === undefined ? { policy, quota } : { policy, quota, windowMs, resetMs: this.retryAfterMs }
  }
  override get message() {
    const seconds = Math.max(1, Math.ceil(this.retryAfterMs / 1000))
    return `${REFUSALS[this.limit].sentence}. Try again in ${countOf(seconds, "second")}.`
  }
}

/** The visitors of one address have used up their share of the day. Its size is not revealed. */
export class VisitorDayUsedUp extends Schema.TaggedError<VisitorDayUsedUp>()("VisitorDayUsedUp", {
  /** Milliseconds until the next day (UTC). */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "visitor_day_used_up"
  /** The limit as the client sees it. */
  get rateLimit() {
    return { policy: "ip-day", resetMs: this.retryAfterMs }
  }
  override get message() {
    return "This assistant has answered all it can to your connection today. Come back tomorrow."
  }
}

/** The message needs a solved challenge, because many messages were sent without one. */
export class VisitorChallengeRequired extends Schema.TaggedError<VisitorChallengeRequired>()(
  "VisitorChallengeRequired",
  {
    /** The public settings of the challenge. */
    challenge: Schema.Struct({ kind: Schema.Literal("turnstile"), siteKey: Schema.String })
  }
) {
  readonly code = "visitor_challenge_required"
  override get message() {
    return "Show that you are a person: solve the challenge, and send the message again with its token in `challengeToken`."
  }
}

/** The address has loaded conversations more often than it may. */
export class VisitorReadsLimited extends Schema.TaggedError<VisitorReadsLimited>()("VisitorReadsLimited", {
  quota: Schema.Int,
  /** The length of the limit's window in milliseconds. */
  windowMs: Schema.Finite,
  /** Milliseconds until the address may load conversations again. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "visitor_reads_limited"
  /** The limit as the client sees it. */
  get rateLimit() {
    return { policy: "ip-reads", quota: this.quota, windowMs: this.windowMs, resetMs: this.retryAfterMs }
  }
  override get message() {
    const seconds = Math.max(1, Math.ceil(this.retryAfterMs / 1000))
    return `Conversations were loaded too often from your connection. Try again in ${countOf(seconds, "second")}.`
  }
}

/** The visitor's message is too long. */
export class VisitorMessageTooLong extends Schema.TaggedError<VisitorMessageTooLong>()("VisitorMessageTooLong", {
  limit: Schema.Int
}) {
  readonly code = "message_too_long"
  override get message() {
    return `A message may have at most ${countOf(this.limit, "character")}. Shorten it.`
  }
}
