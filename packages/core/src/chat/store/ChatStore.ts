import { Context, type Effect, Schema } from "effect"
import type { HoldName } from "../../credits/holds/Hold.ts"
import { UserId } from "../../identity/UserId.ts"
import { Id, Offset, PageLimit } from "../../storage/inputs.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Handover, HandoverState } from "./Handover.ts"
import type { FoundWords } from "./foundWords.ts"
import type {
  ChatShare,
  ConversationOwner,
  ReplyRating,
  VisitorOwner,
  Chat,
  Source,
  StoredMessage
} from "./StoredChat.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"

/**
 * A chat without use for longer than this counts as used when it is read to be continued. Chats are kept for twice as
 * long at least (`Retention`), so that none is deleted between that read and the storing of its new messages.
 * Milliseconds.
 */
export const USED_AGAIN_MS = 12 * 3_600_000

/**
 * A chat is a tree: several messages may follow the same one, and each is a version. A branch is the line of messages from
 * the first one to a last one; the newest branch ends with the message that was stored last. This selects the branch that
 * ends with a message; the newest one that contains a message; or the messages of all branches, in the order in which they
 * were stored.
 */
export type Branch = { readonly upTo: string } | { readonly through: string } | "all"

export interface TranscriptInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  /** The most messages. */
  readonly limit: number
  /**
   * The branch to read; the newest one unless given. Nothing is returned if the chat has no message with the named id.
   */
  readonly branch?: Branch | undefined
  /**
   * The id of a message: only the earlier messages of its branch are returned, of all branches if `branch` is `all`.
   * Nothing, if the chat has no message with this id.
   */
  readonly before?: string | undefined
  /**
   * The most bytes of all contents, in UTF-8, and of all sources, as they are stored, together; `MAX_TRANSCRIPT_BYTES`
   * unless given.
   */
  readonly maxBytes?: number | undefined
  /** The chat is read to be continued: see `USED_AGAIN_MS`. */
  readonly toContinue?: boolean | undefined
}

/** A part of a chat. */
export interface Transcript {
  readonly chat: Chat
  /** Undefined unless the owner shares the chat. */
  readonly share?: ChatShare | undefined
  /** In order. */
  readonly messages: ReadonlyArray<StoredMessage>
  /** The branch has messages before the first of `messages`. */
  readonly hasEarlier: boolean
  /** The documents stored with the chat or, if none ever were, those that its last request named. */
  readonly documentIds: ReadonlyArray<string>
}

export interface BeginTurnInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  /** The chat was there when it was asked in: deleted meanwhile, it does not come back. */
  readonly continues: boolean
  /** For a chat that does not exist yet. */
  readonly title: string
  /** As `title`; a project that does not exist is none. */
  readonly projectId?: string | undefined
  /**
   * The new messages, in order: each follows the one before it, and the reply follows the last. Their images, which are
   * stored already, become those of the chat.
   */
  readonly messages: ReadonlyArray<ChatMessage>
  /**
   * The message that the first new one follows, the reply if there is none; null if it begins the chat. The newest
   * message of all unless given. Nothing is stored if the chat has no message with this id.
   */
  readonly parentId?: string | null | undefined
  /** The documents the request named, at most 1,000; none unless given. */
  readonly documentIds?: ReadonlyArray<string>
  readonly reply: {
    readonly id: string
    /** Undefined if no model writes it. */
    readonly model: string | undefined
    readonly sources: ReadonlyArray<Source>
    /** As `StoredMessage` has it; none unless given. */
    readonly unread?: ReadonlyArray<string> | undefined
    /** The whole reply, if no model writes it: it is complete at once. */
    readonly content?: string | undefined
  }
  /** The running record of a reply that is written from now on: the hold that pays it, and how long it lives without a heartbeat. */
  readonly running?: { readonly hold: HoldName; readonly joinable: boolean; readonly ttlMs: number } | undefined
}

/** Asks for a page of chats. */
export const ListChatsInput = Schema.Struct({
  userId: UserId,
  /** The conversations that visitors have with this bot of the person's, in place of the person's own chats. */
  bot: Schema.optional(Id),
  limit: PageLimit,
  offset: Offset,
  /** Only chats of this project. */
  projectId: Schema.optional(Id),
  /**
   * Only chats with this text, in any case, in their title or in the messages of the last used chats; all chats if it
   * is empty or not given. The search through messages is bounded.
   */
  search: Schema.optional(Schema.String)
})
export type ListChatsInput = typeof ListChatsInput.Type

/** Asks for a page of a person's own chats in the order of their ids. */
export interface ListChatsByIdInput {
  readonly userId: UserId
  /** The id of the last chat of the page before; undefined for the first page. */
  readonly after: string | undefined
  readonly limit: number
}

/** A chat of a list. */
export interface ListedChat extends Chat {
  /** The newest message in which a search found its words; undefined if it found them in the title alone. */
  readonly found?: FoundWords | undefined
}

/** A page of chats, and the count of all. */
export interface ChatList {
  readonly chats: ReadonlyArray<ListedChat>
  readonly total: number
}

/** A conversation that a visitor has with a bot, as the bot's owner finds it. */
export interface BotConversation {
  readonly id: string
  readonly owner: VisitorOwner
  /** The beginning of the visitor's first message. */
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  /** Its replies that models wrote; the ledger finds their cost by these ids. */
  readonly replyIds: ReadonlyArray<string>
  /** Absent if no person was ever asked for, and none took it. */
  readonly handover?: Handover
}

/** A place among the conversations of a bot in the order of their last use: behind one used then, with this id. */
export interface ConversationCursor {
  /** Unix microseconds, as exact as a store keeps it. */
  readonly usedAtMicros: number
  readonly id: string
}

/** Asks for a page of a bot's conversations. */
export interface ListConversationsInput {
  readonly botOwner: UserId
  readonly bot: string
  readonly limit: number
  /** Only those after this cursor. */
  readonly before?: ConversationCursor | undefined
  /** Only those with this text, in any case, in their title or messages; all of them if it is empty or not given. */
  readonly search?: string | undefined
  /** Only those in this state. */
  readonly state?: HandoverState | undefined
}

/** Selects chats that were not used for long. */
export interface RemoveUnusedInput {
  /** People's own chats, or the conversations of visitors with all bots. */
  readonly whose: "people" | "visitors"
  /** Only chats without use for longer than this, in milliseconds, by the storage's clock. */
  readonly unusedForMs: number
  /** The most messages that one call deletes, unless the first chat alone has more. */
  readonly limit: number
}

/** A page of a bot's conversations, last used first. */
export interface ConversationPage {
  readonly conversations: ReadonlyArray<BotConversation>
  /**
   * The cursor of the next page; undefined on the last page. A search reads a bounded number of bytes for one page, so
   * that a page may have fewer results than requested, or none, without being the last.
   */
  readonly next: ConversationCursor | undefined
}

/**
 * Chats and their messages. Every method is fenced by the owner: another owner's chat is treated as missing, even if a
 * visitor asks for a chat of the bot's owner, of another visitor, or with another bot.
 */
export class ChatStore extends Context.Service<
  ChatStore,
  {
    /**
     * Stores new messages, followed by an empty `streaming` reply with its running record, in one transaction; creates
     * the chat if necessary, unless the turn continues one. Repeating a reply's id does nothing. The turn ends with its
     * hold (`EndTurn`); a reply that has its content already is complete at once.
     */
    beginTurn(input: BeginTurnInput): Effect.Effect<void, StorageFailed>
    /**
     * The newest `limit` messages of a branch, or those before a given one, oldest first; undefined if the owner has no
     * chat with this id. If their contents and sources together exceed `maxBytes`, older messages are left out, but never the
     * newest.
     */
    transcript(input: TranscriptInput): Effect.Effect<Transcript | undefined, StorageFailed>
    /** A person's own chats, or the conversations of one of their bots; last used first. */
    list(input: ListChatsInput): Effect.Effect<ChatList, StorageFailed>
    /**
     * Changes the title of one of a person's own chats, if `from` is given only while the title is `from`; returns the
     * changed chat, undefined if nothing was changed.
     */
    rename(userId: UserId, chatId: string, title: string, from?: string): Effect.Effect<Chat | undefined, StorageFailed>
    /**
     * Stores these documents, at most 1,000, with one of a person's own chats in place of others; returns true if the
     * chat exists.
     */
    keepDocuments(
      userId: UserId,
      chatId: string,
      documentIds: ReadonlyArray<string>
    ): Effect.Effect<boolean, StorageFailed>
    /**
     * The bytes of all of a person's own chats, the `storedBytes` of their messages, and of the person's images, except those
     * that no message has had for `UNUSED_IMAGE_MS`. For a visitor, of the conversations of all visitors of all bots of the
     * bot's owner.
     */
    usage(owner: ConversationOwner): Effect.Effect<number, StorageFailed>
    /** Deletes a chat with its messages; returns true if it existed. */
    remove(owner: ConversationOwner, chatId: string): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/chat/store/ChatStore") {}

/**
 * Chats beyond those that a person writes in: the conversations of visitors with a person's bots, and all chats in an order
 * for exports. Fenced by the owner as `ChatStore` is, but for `removeUnused`.
 */
export class ChatRecords extends Context.Service<
  ChatRecords,
  {
    /**
     * A person's own chats with ids after `after`, in the order of their ids, which no use changes. A reader that
     * continues after the last id meets each chat of the beginning once.
     */
    listById(input: ListChatsByIdInput): Effect.Effect<ReadonlyArray<Chat>, StorageFailed>
    /** A page of what visitors said to one of a person's bots, last used first. */
    conversations(input: ListConversationsInput): Effect.Effect<ConversationPage, StorageFailed>
    /**
     * One conversation of a bot of the person's, with any visitor; undefined if the bot has no conversation with this
     * id.
     */
    conversation(botOwner: UserId, bot: string, id: string): Effect.Effect<BotConversation | undefined, StorageFailed>
    /**
     * The conversations of a bot with ids after `after`, in the order of their ids, which no use changes. A reader that
     * continues after the last id meets each conversation of the beginning once.
     */
    conversationsById(input: {
      readonly botOwner: UserId
      readonly bot: string
      readonly after: string | undefined
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<BotConversation>, StorageFailed>
    /**
     * Stores the rating of a reply that a model wrote and that has ended, or removes it if undefined, with the event
     * `reply.rated`; returns false if the owner has no such reply in this chat.
     */
    rate(input: {
      readonly owner: ConversationOwner
      readonly chatId: string
      readonly messageId: string
      readonly rating: ReplyRating | undefined
    }): Effect.Effect<boolean, StorageFailed>
    /** Deletes all conversations that visitors have with this bot of the person's. */
    removeOfBot(userId: UserId, bot: string): Effect.Effect<void, StorageFailed>
    /**
     * Deletes chats of all owners that were not used for longest, each whole, as its owner would; returns the number of
     * deleted chats, 0 if none is left. A chat with a reply that runs stays, and so does one that another call is
     * working on: any number of processes may call it at once.
     */
    removeUnused(input: RemoveUnusedInput): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/chat/store/ChatRecords") {}
