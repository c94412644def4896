import { Schema } from "effect"
import { InputIssue } from "../validation/issuesOf.ts"
import { countOf } from "../storage/spokenNumbers.ts"

/** The settings of a bot are invalid. Contains the problems with their paths. */
export class InvalidBot extends Schema.TaggedError<InvalidBot>()("InvalidBot", {
  issues: Schema.Array(InputIssue)
}) {
  readonly code = "invalid_bot"
  override get message() {
    return `The bot cannot be so: ${this.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}.`
  }
}

/** The person has no bot with this id. */
export class BotNotFound extends Schema.TaggedError<BotNotFound>()("BotNotFound", { botId: Schema.String }) {
  readonly code = "bot_not_found"
  override get message() {
    return "There is no such bot; it may have been deleted."
  }
}

/** The person already has the maximum number of bots. */
export class TooManyBots extends Schema.TaggedError<TooManyBots>()("TooManyBots", { limit: Schema.Int }) {
  readonly code = "too_many_bots"
  override get message() {
    return `You have ${countOf(this.limit, "bot")}, which is the most. Delete one you no longer need.`
  }
}

/** The bot already has the maximum number of public keys. */
export class TooManyBotKeys extends Schema.TaggedError<TooManyBotKeys>()("TooManyBotKeys", { limit: Schema.Int }) {
  readonly code = "too_many_bot_keys"
  override get message() {
    return `The bot has ${countOf(this.limit, "public key")}, which is the most. Retire one that no page uses any more.`
  }
}

/** The bot does not have this public key. */
export class BotKeyNotFound extends Schema.TaggedError<BotKeyNotFound>()("BotKeyNotFound", {}) {
  readonly code = "bot_key_not_found"
  override get message() {
    return "The bot has no such public key; it may have been retired."
  }
}

/** The only public key of a bot cannot be retired. */
export class LastBotKey extends Schema.TaggedError<LastBotKey>()("LastBotKey", {}) {
  readonly code = "last_bot_key"
  override get message() {
    return "This is the bot's only public key. Add another one first, or switch the bot off."
  }
}

/** The stored settings of a bot are invalid. */
export class BotMisconfigured extends Schema.TaggedError<BotMisconfigured>()("BotMisconfigured", {
  botId: Schema.String
}) {
  readonly code = "bot_misconfigured"
  override get message() {
    return "The bot is not set up right. Its owner can repair it by saving its settings again."
  }
}
