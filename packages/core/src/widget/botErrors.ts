import { Schema } from "effect"

/** The visitor has no conversation with this id with the bot. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {}) {
  readonly code = "conversation_not_found"
  override get message() {
    return "There is no such conversation; it may have been deleted. Start a new one."
  }
}

/** No person answers in the place of this bot: its owner has not switched that on. */
export class HandOverOff extends Schema.TaggedError<HandOverOff>()("HandOverOff", {}) {
  readonly code = "hand_over_off"
  override get message() {
    return "No person answers in the place of this bot."
  }
}

/** The bot answers no more today. The reason is not revealed to visitors. */
export class BotResting extends Schema.TaggedError<BotResting>()("BotResting", {
  /** Milliseconds until the next day (UTC). */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "bot_resting"
  /** The limit for the client, without its size. */
  get rateLimit() {
    return { policy: "day", resetMs: this.retryAfterMs }
  }
  override get message() {
    return "This assistant has answered all it can today. Come back tomorrow."
  }
}

/**
 * The maximum number of replies that the bot's owner or the visitor may have is being written or waits for a reader.
 */
export class BotBusy extends Schema.TaggedError<BotBusy>()("BotBusy", {
  /** Milliseconds after which trying again may be worthwhile. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "bot_busy"
  /** The limit for the client, without its size. */
  get rateLimit() {
    return { policy: "replies", resetMs: this.retryAfterMs }
  }
  override get message() {
    return "This assistant is busy. Try again in a moment."
  }
}
