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
 * Milliseconds. A chat that was not used for longer than this counts as used when it is read to be continued. The
 * retention of chats (`Retention`) is at least twice as long, so that no chat is deleted between that read and the
 * storing of its new messages.
 */
export const USED_AGAIN_MS = 12 * 3_600_000

/**
 * A chat is a tree: several messages may follow the same message, and each of them is a version. A branch is the line
 * of messages from the first one to a last one; the newest branch ends with the message that was stored last. `upTo`
 * selects the branch that ends with a message, `through` the newest branch that contains a message, and "all" the
 * messages of all branches in the order in which they were stored.
 */
export type Branch = { readonly upTo: string } | { readonly through: string } | "all"

export interface TranscriptInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  /** The maximum number of messages. */
  readonly limit: number
  /**
   * The branch to read; the newest one unless given. If the chat has no message with the given id, no messages are
   * returned.
   */
  readonly branch?: Branch | undefined
  /**
   * The id of a message: only messages before it are returned, of its branch or, if `branch` is `all`, of all branches.
   * If the chat has no message with this id, no messages are returned.
   */
  readonly before?: string | undefined
  /**
   * The maximum number of bytes of all contents (in UTF-8) and all sources (as stored) together; `MAX_TRANSCRIPT_BYTES`
   * unless given.
   */
  readonly maxBytes?: number | undefined
  /** True if the chat is read to be continued: see `USED_AGAIN_MS`. */
  readonly toContinue?: boolean | undefined
}

/** A part of a chat. */
export interface Transcript {
  readonly chat: Chat
  /** Undefined unless the owner has shared the chat. */
  readonly share?: ChatShare | undefined
  /** Oldest first. */
  readonly messages: ReadonlyArray<StoredMessage>
  /** True if the branch has messages before the first of `messages`. */
  readonly hasEarlier: boolean
  /** The documents stored with the chat or, if there never were any, the documents that its last request named. */
  readonly documentIds: ReadonlyArray<string>
}

export interface BeginTurnInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  /** True if the chat existed when the question was asked: if it was deleted meanwhile, it is not created again. */
  readonly continues: boolean
  /** The title, used if the chat does not exist yet. */
  readonly title: string
  /** The project, used if the chat does not exist yet; ignored if the project does not exist. */
  readonly projectId?: string | undefined
  /**
   * The new messages, in order: each follows the previous one, and the reply follows the last. Their images, which are
   * stored already, become part of the chat.
   */
  readonly messages: ReadonlyArray<ChatMessage>
  /**
   * The message that the first new message follows (or the reply, if there are no new messages); null if it begins the
   * chat. The message stored last unless given. Nothing is stored if the chat has no message with this id.
   */
  readonly parentId?: string | null | undefined
  /** The documents that the request named, at most 1,000; none unless given. */
  readonly documentIds?: ReadonlyArray<string>
  readonly reply: {
    readonly id: string
    /** Undefined if no model writes the reply. */
    readonly model: string | undefined
    readonly sources: ReadonlyArray<Source>
    /** As in `StoredMessage`: ids of documents of which the model read nothing; none unless given. */
    readonly unread?: ReadonlyArray<string> | undefined
    /** The whole text of a reply that no model writes: it is complete at once. */
    readonly content?: string | undefined
  }
  /**
   * The running record, for a reply that is written from now on: the hold that pays for it, and the time that it lives
   * without a heartbeat.
   */
  readonly running?: { readonly hold: HoldName; readonly joinable: boolean; readonly ttlMs: number } | undefined
}

/** Selects a page of chats. */
export const ListChatsInput = Schema.Struct({
  userId: UserId,
  /** Lists the conversations of visitors with this bot of the person, instead of the person's own chats. */
  bot: Schema.optional(Id),
  limit: PageLimit,
  offset: Offset,
  /** Only chats of this project. */
  projectId: Schema.optional(Id),
  /**
   * Only chats that contain this text, in upper or lower case, in their title or in the messages of the last used
   * chats; all chats if it is empty or not given. The search through messages is bounded.
   */
  search: Schema.optional(Schema.String)
})
export type ListChatsInput = typeof ListChatsInput.Type

/** Selects a page of a person's own chats in the order of their ids. */
export interface ListChatsByIdInput {
  readonly userId: UserId
  /** The id of the last chat of the previous page; undefined for the first page. */
  readonly after: string | undefined
  readonly limit: number
}

/** A chat in a list. */
export interface ListedChat extends Chat {
  /** The newest message that contains the searched words; undefined if only the title contains them. */
  readonly found?: FoundWords | undefined
}

/** A page of chats, and the number of all chats. */
export interface ChatList {
  readonly chats: ReadonlyArray<ListedChat>
  readonly total: number
}

/** A visitor's conversation with a bot, as the bot's owner sees it. */
export interface BotConversation {
  readonly id: string
  readonly owner: VisitorOwner
  /** The beginning of the visitor's first message. */
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  /** The ids of its replies that models wrote; the ledger finds their costs by these ids. */
  readonly replyIds: ReadonlyArray<string>
  /** Absent if no person was ever asked for and none took the conversation. */
  readonly handover?: Handover
}

/**
 * A position among the conversations of a bot in the order of their last use: after the conversation with this time and
 * id.
 */
export interface ConversationCursor {
  /** Unix microseconds, which is the precision of stores. */
  readonly usedAtMicros: number
  readonly id: string
}

/** Selects a page of a bot's conversations. */
export interface ListConversationsInput {
  readonly botOwner: UserId
  readonly bot: string
  readonly limit: number
  /** Only conversations after this position. */
  readonly before?: ConversationCursor | undefined
  /**
   * Only conversations that contain this text, in upper or lower case, in their title or messages; all if it is empty
   * or not given.
   */
  readonly search?: string | undefined
  /** Only conversations in this state. */
  readonly state?: HandoverState | undefined
}

/** Selects chats that have not been used for a long time. */
export interface RemoveUnusedInput {
  /** People's own chats, or the conversations of visitors with all bots. */
  readonly whose: "people" | "visitors"
  /** Milliseconds, by the storage's clock: only chats that have not been used for longer than this. */
  readonly unusedForMs: number
  /** The maximum number of messages that one call deletes, unless the first chat alone has more. */
  readonly limit: number
}

/** A page of a bot's conversations, last used first. */
export interface ConversationPage {
  readonly conversations: ReadonlyArray<BotConversation>
  /**
   * The position of the next page; undefined on the last page. A search reads a bounded number of bytes for each page,
   * so a page may contain fewer results than requested, or none, without being the last.
   */
  readonly next: ConversationCursor | undefined
}

/**
 * Stores chats and their messages. Every method is limited to one owner: another owner's chat is treated as missing,
 * even if a visitor asks for a chat of the bot's owner, of another visitor, or with another bot.
 */
export class ChatStore extends Context.Service<
  ChatStore,
  {
    /**
     * Stores new messages, followed by an empty `streaming` reply with its running record, in one transaction; creates
     * the chat if necessary, unless the turn continues one. A call with the id of a stored reply changes nothing. The
     * turn ends with its hold (`EndTurn`); a reply that already has its content is complete at once.
     */
    beginTurn(input: BeginTurnInput): Effect.Effect<void, StorageFailed>
    /**
     * Returns the newest `limit` messages of a branch, or those before a given one, oldest first; undefined if the
     * owner has no chat with this id. If contents and sources together exceed `maxBytes`, older messages are left out,
     * but never the newest.
     */
    transcript(input: TranscriptInput): Effect.Effect<Transcript | undefined, StorageFailed>
    /** Lists a person's own chats, or the conversations of one of their bots; last used first. */
    list(input: ListChatsInput): Effect.Effect<ChatList, StorageFailed>
    /**
     * Changes the title of one of a person's own chats; with `from`, only if the present title is `from`. Returns the
     * changed chat; undefined if nothing was changed.
     */
    rename(userId: UserId, chatId: string, title: string, from?: string): Effect.Effect<Chat | undefined, StorageFailed>
    /**
     * Stores these documents, at most 1,000, with one of a person's own chats, in place of earlier ones; returns true
     * if the chat exists.
     */
    keepDocuments(
      userId: UserId,
      chatId: string,
      documentIds: ReadonlyArray<string>
    ): Effect.Effect<boolean, StorageFailed>
    /**
     * The number of bytes that count towards the quota: of all of a person's own chats (the `storedBytes` of their
     * messages) and of the person's images, except images that no message has contained for `UNUSED_IMAGE_MS`. For a
     * visitor: of the conversations of all visitors of all bots of the bot's owner.
     */
    usage(owner: ConversationOwner): Effect.Effect<number, StorageFailed>
    /** Deletes a chat with its messages; returns true if it existed. */
    remove(owner: ConversationOwner, chatId: string): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/chat/store/ChatStore") {}

/**
 * Reads and deletes chats beyond the use of their own person: the conversations of visitors with a person's bots, and
 * all chats in an order for exports. Every method except `removeUnused` is limited to one owner, as in `ChatStore`.
 */
export class ChatRecords extends Context.Service<
  ChatRecords,
  {
    /**
     * Returns a person's own chats with ids after `after`, in the order of their ids, which do not change when chats
     * are used. A reader that continues after the last id reads each chat that existed at the beginning once.
     */
    listById(input: ListChatsByIdInput): Effect.Effect<ReadonlyArray<Chat>, StorageFailed>
    /** Returns a page of the conversations of visitors with one of a person's bots, last used first. */
    conversations(input: ListConversationsInput): Effect.Effect<ConversationPage, StorageFailed>
    /**
     * Returns one conversation of a bot of the person, with any visitor; undefined if the bot has no conversation with
     * this id.
     */
    conversation(botOwner: UserId, bot: string, id: string): Effect.Effect<BotConversation | undefined, StorageFailed>
    /**
     * Returns the conversations of a bot with ids after `after`, in the order of their ids, which do not change when
     * conversations are used. A reader that continues after the last id reads each conversation that existed at the
     * beginning once.
     */
    conversationsById(input: {
      readonly botOwner: UserId
      readonly bot: string
      readonly after: string | undefined
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<BotConversation>, StorageFailed>
    /**
     * Stores the rating of a reply that a model wrote and that has ended, and the event `reply.rated`; removes the
     * rating if it is undefined. Returns false if the owner has no such reply in this chat.
     */
    rate(input: {
      readonly owner: ConversationOwner
      readonly chatId: string
      readonly messageId: string
      readonly rating: ReplyRating | undefined
    }): Effect.Effect<boolean, StorageFailed>
    /** Deletes all conversations that visitors have with this bot of the person. */
    removeOfBot(userId: UserId, bot: string): Effect.Effect<void, StorageFailed>
    /**
     * Deletes chats of all owners that have not been used for the longest time, each one completely, as its owner
     * could. Returns the number of deleted chats; 0 if none is left. Chats with a running reply are left out, and so
     * are chats that another call is working on: any number of processes may call it at once.
     */
    removeUnused(input: RemoveUnusedInput): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/chat/store/ChatRecords") {}
