import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { ConversationOwner } from "./ConversationOwner.ts"
import type { Chat, MessageState, Source, StoredMessage } from "./StoredMessage.ts"
import type { ChatMessage } from "../models/ChatMessage.ts"

/**
 * What a transcript may hold together, in bytes of UTF-8: more than any model's window takes, and little enough to be
 * read for many people at once.
 */
export const MAX_TRANSCRIPT_BYTES = 4 * 1024 * 1024

/** What a page of a transcript may hold together, in bytes of UTF-8: little enough to be written without holding up others. */
export const MAX_PAGE_BYTES = 256 * 1024

const utf8 = new TextEncoder()

/** What a message counts towards the quota: its content and the texts of its sources, in bytes of UTF-8. */
export const storedBytes = (content: string, sources: ReadonlyArray<Source> = []): number =>
  sources.reduce((sum, { text }) => sum + utf8.encode(text).byteLength, utf8.encode(content).byteLength)

export interface TranscriptInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  /** The most messages. */
  readonly limit: number
  /** The id of a message: only what was said before it. Nothing, where the chat has no such message. */
  readonly before?: string | undefined
  /** The most bytes of all contents, in UTF-8, and of all sources, as they are stored, together; `MAX_TRANSCRIPT_BYTES` unless given. */
  readonly maxBytes?: number | undefined
}

/** A part of a chat. */
export interface Transcript {
  readonly chat: Chat
  /** In order. */
  readonly messages: ReadonlyArray<StoredMessage>
  /** Something was said before the first of `messages`. */
  readonly hasEarlier: boolean
}

export interface BeginTurnInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  /** The chat was there when it was asked in: deleted meanwhile, it does not come back. */
  readonly continues: boolean
  /** For a chat that does not exist yet. */
  readonly title: string
  /** What is new, in order. */
  readonly messages: ReadonlyArray<ChatMessage>
  readonly reply: { readonly id: string; readonly model: string; readonly sources: ReadonlyArray<Source> }
}

export interface EndTurnInput {
  readonly owner: ConversationOwner
  readonly chatId: string
  readonly replyId: string
  readonly content: string
  readonly state: Exclude<MessageState, "streaming">
}

/** Asks for a page of chats. */
export interface ListChatsInput {
  readonly userId: UserId
  /** The conversations that visitors have with this bot of the person's, in place of the person's own chats. */
  readonly bot?: string | undefined
  readonly limit: number
  readonly offset: number
}

/** A page of chats, and the count of all. */
export interface ChatList {
  readonly chats: ReadonlyArray<Chat>
  readonly total: number
}

/**
 * Chats and their messages. Every method is fenced by the owner: another owner's chat is as one that does not exist, also
 * where a visitor asks for a chat of the bot's owner, of another visitor, or with another bot.
 */
export class ChatStore extends Context.Service<
  ChatStore,
  {
    /** Stores what is new, followed by an empty `streaming` reply, in one transaction; creates the chat if need be, unless the turn continues one. Repeating a reply's id does nothing. */
    beginTurn(input: BeginTurnInput): Effect.Effect<void, StorageFailed>
    /** Stores what a reply became. Nothing happens where the chat was deleted meanwhile. */
    endTurn(input: EndTurnInput): Effect.Effect<void, StorageFailed>
    /**
     * The newest `limit` messages, of those before one of them where that is asked, oldest of them first; undefined
     * where the owner has no such chat. It begins where their contents and sources exceed `maxBytes` together, after the newest
     * message at the earliest.
     */
    transcript(input: TranscriptInput): Effect.Effect<Transcript | undefined, StorageFailed>
    /** A person's own chats, or the conversations of one of their bots; last used first. */
    list(input: ListChatsInput): Effect.Effect<ChatList, StorageFailed>
    /**
     * What all of a person's own chats hold, or for a visitor the conversations of all visitors of all bots of the bot's
     * owner, in bytes: the `storedBytes` of their messages.
     */
    usage(owner: ConversationOwner): Effect.Effect<number, StorageFailed>
    /** Deletes a chat with its messages; true where there was one. */
    remove(owner: ConversationOwner, chatId: string): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/chat/ChatStore") {}
