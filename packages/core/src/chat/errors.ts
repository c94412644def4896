import { Schema } from "effect"

/** A chat request that cannot be understood, with the problems found, up to a bound, and where. */
export class InvalidChatRequest extends Schema.TaggedError<InvalidChatRequest>()("InvalidChatRequest", {
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {
  readonly code = "invalid_chat_request"
  override get message() {
    return `The chat request is not valid: ${this.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}.`
  }
}

/** What the person's chats hold has reached the tier's quota, in bytes. */
export class StorageQuotaExceeded extends Schema.TaggedError<StorageQuotaExceeded>()("StorageQuotaExceeded", {
  tier: Schema.String,
  bytes: Schema.Int,
  maxChatBytes: Schema.Int
}) {
  readonly code = "storage_quota"
  override get message() {
    return `The ${this.tier} tier keeps ${this.maxChatBytes} bytes of chats; yours have ${this.bytes} bytes. Delete some, or upgrade.`
  }
}

/** The person has no such chat. */
export class ChatNotFound extends Schema.TaggedError<ChatNotFound>()("ChatNotFound", { chatId: Schema.String }) {
  readonly code = "chat_not_found"
  override get message() {
    return "There is no such chat. Leave chatId out to start a new one."
  }
}

/** The newest message and the passages leave no room for a reply in the model's window. */
export class PromptTooLong extends Schema.TaggedError<PromptTooLong>()("PromptTooLong", {
  tokens: Schema.Int,
  window: Schema.Int
}) {
  readonly code = "prompt_too_long"
  override get message() {
    return `The message needs about ${this.tokens} tokens and the model takes ${this.window}. Shorten it, or upload it as a document.`
  }
}

/** Too many replies were left before their first word, which costs nothing: the person has to wait. */
export class TooManyAbandonedTries extends Schema.TaggedError<TooManyAbandonedTries>()("TooManyAbandonedTries", {
  perMinute: Schema.Int,
  /** Milliseconds until the next try is taken. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "too_many_abandoned_tries"
  override get message() {
    return `More than ${this.perMinute} replies were left within a minute before their first word. Wait ${Math.ceil(this.retryAfterMs / 1000)} seconds, then wait for the replies you ask for.`
  }
}

/** As many replies of the account are being written as its tier allows at once. */
export class TooManyReplies extends Schema.TaggedError<TooManyReplies>()("TooManyReplies", {
  tier: Schema.String,
  limit: Schema.Int,
  /** Milliseconds after which trying again may be worthwhile. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "too_many_replies"
  override get message() {
    return `The tier ${this.tier} writes at most ${this.limit} ${this.limit === 1 ? "reply" : "replies"} at once. Wait until one has ended.`
  }
}

/** A request with the same idempotency key is being answered at this moment. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {}) {
  readonly code = "request_in_progress"
  override get message() {
    return "A request with this idempotency key is being answered. Wait for that answer, or send the request again later."
  }
}
