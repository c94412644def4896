import { Schema } from "effect"

/** The visitor has no conversation with this id and this bot. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {}) {
  readonly code = "conversation_not_found"
  override get message() {
    return "There is no such conversation; it may have been deleted. Start a new one."
  }
}

/** The bot's owner has not turned on that people answer visitors. */
export class HandOverOff extends Schema.TaggedError<HandOverOff>()("HandOverOff", {}) {
  readonly code = "hand_over_off"
  override get message() {
    return "No person answers in the place of this bot."
  }
}

/** The bot does not answer any more today. The reason is not revealed to visitors. */
export class BotResting extends Schema.TaggedError<BotResting>()("BotResting", {
  /** Milliseconds until the next day (UTC). */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "bot_resting"
  /** The limit as the client sees it, without its size. */
  get rateLimit() {
    return { policy: "day", resetMs: this.retryAfterMs }
  }
  override get message() {
    return "This assistant has answered all it can today. Come back tomorrow."
  }
}

/**
 * Already the maximum number of replies of the bot's owner, or of the visitor, are being written or wait for a reader.
 */
export class BotBusy extends Schema.TaggedError<BotBusy>()("BotBusy", {
  /** Milliseconds after which a retry may succeed. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "bot_busy"
  /** The limit as the client sees it, without its size. */
  get rateLimit() {
    return { policy: "replies", resetMs: this.retryAfterMs }
  }
  override get message() {
    return "This assistant is busy. Try again in a moment."
  }
}
