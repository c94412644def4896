import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Handover, HandoverLanguage, HandoverState } from "./Handover.ts"
import type { StoredMessage, VisitorOwner } from "./StoredChat.ts"

/** After this long without a look for new messages a visitor counts as gone. Milliseconds. */
export const GONE_AFTER_MS = 60_000
/** The most mails to the visitor of one conversation. */
export const MAX_VISITOR_MAILS = 20
/** A visitor's look is stored if the last one is older than this, in milliseconds: few looks are a write. */
export const SEEN_EVERY_MS = 15_000

/** A conversation of a visitor. */
export interface VisitorChat {
  readonly owner: VisitorOwner
  readonly chatId: string
}

/** A conversation, as the owner of its bot names it. */
export interface OwnedChat {
  readonly botOwner: UserId
  readonly bot: string
  readonly chatId: string
}

export interface AskForPersonInput extends VisitorChat {
  /** The conversation exists: if it was deleted meanwhile, it does not come back. Otherwise it begins, without messages. */
  readonly continues: boolean
  /** Replaces the stored one if it is given. */
  readonly email: string | undefined
  /** As `email`. */
  readonly page: string | undefined
  readonly language: HandoverLanguage
}

export interface SayInput extends VisitorChat {
  readonly content: string
  /** For a conversation that began without a message. */
  readonly title: string
}

export interface AnswerInput extends OwnedChat {
  /** The id of the new message. */
  readonly id: string
  readonly content: string
  /** The name of the person, as the visitor sees it; may be empty. */
  readonly author: string
}

/** A person's answer as it was stored. */
export interface Answered {
  readonly message: StoredMessage
  /** The visitor is gone, has an address, and got fewer mails than the most: one more was counted. */
  readonly mailDue: boolean
}

/** The number of a bot's conversations in each state. */
export type HandoverCounts = Readonly<Record<HandoverState, number>>

/**
 * The conversations of visitors in which a person answers. The methods of one conversation, and the beginnings of turns,
 * go one after another. A hand-over is removed with its conversation.
 */
export class Handovers extends Context.Service<
  Handovers,
  {
    /**
     * The visitor waits for a person, unless a person has the conversation already. Undefined if the visitor has no such
     * conversation. `isNew` is true if the visitor did not wait before.
     */
    ask(
      input: AskForPersonInput
    ): Effect.Effect<{ readonly handover: Handover; readonly isNew: boolean } | undefined, StorageFailed>
    /**
     * Stores a visitor's message for a person. Undefined, and nothing is stored, unless the conversation is `waiting` or
     * `open`.
     */
    say(input: SayInput): Effect.Effect<HandoverState | undefined, StorageFailed>
    /** The hand-over of a visitor's conversation with the id of its newest message; notes that the visitor has looked. */
    look(
      chat: VisitorChat
    ): Effect.Effect<{ readonly handover: Handover; readonly newestId: string | undefined } | undefined, StorageFailed>
    /** Stores a person's answer; the conversation is `open` then. Undefined if the bot has no such conversation. */
    answer(input: AnswerInput): Effect.Effect<Answered | undefined, StorageFailed>
    /** A person takes the conversation or opens it again, or is done. Undefined if the bot has no such conversation. */
    move(input: OwnedChat & { readonly to: "open" | "solved" }): Effect.Effect<Handover | undefined, StorageFailed>
    counts(botOwner: UserId, bot: string): Effect.Effect<HandoverCounts, StorageFailed>
  }
>()("@parley/core/chat/store/Handovers") {}
