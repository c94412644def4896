import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Handover, HandoverLanguage, HandoverState } from "./Handover.ts"
import type { StoredMessage, VisitorOwner } from "./StoredChat.ts"

/** Milliseconds without a request for new messages after which a visitor counts as gone. */
export const GONE_AFTER_MS = 60_000
/** The maximum number of mails to the visitor of one conversation. */
export const MAX_VISITOR_MAILS = 20
/**
 * Milliseconds: a visitor's request for new messages updates the stored time only if that is older than this, so that
 * few requests write.
 */
export const SEEN_EVERY_MS = 15_000

/** A conversation of a visitor. */
export interface VisitorChat {
  readonly owner: VisitorOwner
  readonly chatId: string
}

/** A conversation, as named by the owner of its bot. */
export interface OwnedChat {
  readonly botOwner: UserId
  readonly bot: string
  readonly chatId: string
}

export interface AskForPersonInput extends VisitorChat {
  /**
   * True if the conversation exists: if it was deleted meanwhile, it is not created again. False: a conversation
   * without messages is created if necessary.
   */
  readonly continues: boolean
  /** Replaces the stored address; the stored one stays if this is undefined. */
  readonly email: string | undefined
  /** Replaces the stored page; the stored one stays if this is undefined. */
  readonly page: string | undefined
  readonly language: HandoverLanguage
}

export interface SayInput extends VisitorChat {
  readonly content: string
  /** The title for a conversation that began without a message. */
  readonly title: string
}

export interface AnswerInput extends OwnedChat {
  /** The id of the new message. */
  readonly id: string
  readonly content: string
  /** The name of the person, as it is shown to the visitor; may be empty. */
  readonly author: string
}

/** A person's answer, as it was stored. */
export interface Answered {
  readonly message: StoredMessage
  /**
   * True if a mail is to be sent, which was counted already: the visitor is gone, has an address, and got fewer mails
   * than the maximum.
   */
  readonly mailDue: boolean
}

/** The number of a bot's conversations in each state. */
export type HandoverCounts = Readonly<Record<HandoverState, number>>

/**
 * The conversations of visitors in which a person answers. For one conversation, the calls of these methods and the
 * beginnings of turns run one after another. A hand-over is removed with its conversation.
 */
export class Handovers extends Context.Service<
  Handovers,
  {
    /**
     * Makes the visitor wait for a person, unless a person already answers the conversation. Returns undefined if the
     * visitor has no such conversation. `isNew` is true if the visitor was not waiting before.
     */
    ask(
      input: AskForPersonInput
    ): Effect.Effect<{ readonly handover: Handover; readonly isNew: boolean } | undefined, StorageFailed>
    /**
     * Stores a visitor's message for a person. Returns undefined, and stores nothing, unless the conversation is
     * `waiting` or `open`.
     */
    say(input: SayInput): Effect.Effect<HandoverState | undefined, StorageFailed>
    /**
     * Returns the hand-over of a visitor's conversation with the id of its newest message, and records that the visitor
     * has asked for new messages.
     */
    look(
      chat: VisitorChat
    ): Effect.Effect<{ readonly handover: Handover; readonly newestId: string | undefined } | undefined, StorageFailed>
    /** Stores a person's answer and opens the conversation. Returns undefined if the bot has no such conversation. */
    answer(input: AnswerInput): Effect.Effect<Answered | undefined, StorageFailed>
    /**
     * Sets the state: `open` if a person takes the conversation or opens it again, `solved` if the person is done.
     * Returns undefined if the bot has no such conversation.
     */
    move(input: OwnedChat & { readonly to: "open" | "solved" }): Effect.Effect<Handover | undefined, StorageFailed>
    counts(botOwner: UserId, bot: string): Effect.Effect<HandoverCounts, StorageFailed>
  }
>()("@parley/core/chat/store/Handovers") {}
