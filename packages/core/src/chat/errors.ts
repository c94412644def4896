import { Schema } from "effect"
import { InputIssue } from "../validation/issuesOf.ts"
import { countOf, sizeOf } from "../storage/spokenNumbers.ts"

/** The chat request is invalid. Contains the first problems that were found, with the path of each. */
export class InvalidChatRequest extends Schema.TaggedError<InvalidChatRequest>()("InvalidChatRequest", {
  issues: Schema.Array(InputIssue)
}) {
  readonly code = "invalid_chat_request"
  override get message() {
    return `The chat request is not valid: ${this.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}.`
  }
}

/** The size of the person's stored chats, in bytes, has reached the quota of the tier. */
export class StorageQuotaExceeded extends Schema.TaggedError<StorageQuotaExceeded>()("StorageQuotaExceeded", {
  tier: Schema.String,
  /** The display name of the tier. */
  tierName: Schema.optionalKey(Schema.String),
  bytes: Schema.Int,
  maxChatBytes: Schema.Int
}) {
  readonly code = "storage_quota"
  override get message() {
    return `The plan ${this.tierName ?? this.tier} has room for ${sizeOf(this.maxChatBytes)} of chats; yours have ${sizeOf(this.bytes)}. Delete some you no longer need, or upgrade.`
  }
}

/** The change of a chat is invalid. Contains the problem and its path. */
export class InvalidChatChange extends Schema.TaggedError<InvalidChatChange>()("InvalidChatChange", {
  issues: Schema.Array(InputIssue)
}) {
  readonly code = "invalid_chat_change"
  override get message() {
    return `The chat cannot be changed so: ${this.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}.`
  }
}

/** The person has no chat with this id. */
export class ChatNotFound extends Schema.TaggedError<ChatNotFound>()("ChatNotFound", { chatId: Schema.String }) {
  readonly code = "chat_not_found"
  override get message() {
    return "There is no such chat; it may have been deleted. Start a new one."
  }
}

/** The newest message and the passages leave no room for a reply in the model's context window. */
export class PromptTooLong extends Schema.TaggedError<PromptTooLong>()("PromptTooLong", {
  tokens: Schema.Int,
  window: Schema.Int
}) {
  readonly code = "prompt_too_long"
  override get message() {
    return `The message is too long for the model: it has about ${countOf(this.tokens, "token")}, and the model takes ${countOf(this.window, "token")}. Shorten it, or upload it as a document.`
  }
}

/** The reasons why the messages from the application's prompt builder cannot be sent. */
export const PROMPT_PROBLEMS = ["threw", "no-messages", "too-long"] as const

/** The prompt builder of the application failed. No model was asked, and nothing was charged. */
export class PromptBuilderFailed extends Schema.TaggedError<PromptBuilderFailed>()("PromptBuilderFailed", {
  problem: Schema.Literals(PROMPT_PROBLEMS),
  /**
   * Only if the messages are too long: the number of their tokens together with the shortest useful reply; `window` is
   * the model's maximum.
   */
  tokens: Schema.optionalKey(Schema.Int),
  window: Schema.optionalKey(Schema.Int),
  /** The exception, for debugging; it never appears in a response or a log. */
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "prompt_builder_failed"
  override get message() {
    const { problem, tokens, window = 0 } = this
    const what = {
      threw: "threw an error",
      "no-messages":
        "gave no list of messages { role, content } with at least one of the role user, and a text in each",
      "too-long": `gave messages of ${tokens === undefined ? "more tokens" : `up to ${countOf(tokens, "token")} with the shortest reply`}, and the model takes ${countOf(window, "token")}`
    }
    return `The prompt builder of this server (replies.prompt) ${what[problem]}. Nothing was asked or charged.`
  }
}

/** Too many replies were abandoned before their first word, which costs nothing; the person has to wait. */
export class TooManyAbandonedTries extends Schema.TaggedError<TooManyAbandonedTries>()("TooManyAbandonedTries", {
  perMinute: Schema.Int,
  /** Milliseconds until another reply is accepted. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "too_many_abandoned_tries"
  override get message() {
    return `More than ${countOf(this.perMinute, "time")} within a minute, a reply was stopped before its first word. Wait ${countOf(Math.ceil(this.retryAfterMs / 1000), "second")}, then wait for the replies you ask for.`
  }
}

/** As many replies are being written as the account's tier allows at once. */
export class TooManyReplies extends Schema.TaggedError<TooManyReplies>()("TooManyReplies", {
  tier: Schema.String,
  /** The display name of the tier. */
  tierName: Schema.optionalKey(Schema.String),
  limit: Schema.Int,
  /** Milliseconds after which a retry may succeed. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "too_many_replies"
  override get message() {
    return `The plan ${this.tierName ?? this.tier} writes at most ${countOf(this.limit, "reply", "replies")} at once. Wait until one has ended.`
  }
}

/** Another request with the same idempotency key is being answered at this moment. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {}) {
  readonly code = "request_in_progress"
  override get message() {
    return "This request is being answered already. Wait for that answer, or send it again later."
  }
}
