import { Schema } from "effect"
import { UserId } from "../../identity/UserId.ts"
import { Id } from "../../storage/inputs.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { Heading } from "../../documents/reading/Heading.ts"

/** A person's own conversations. */
export const PersonOwner = Schema.Struct({ person: UserId })
export type PersonOwner = typeof PersonOwner.Type

/**
 * The owner of the conversations of one visitor with one bot. Only this visitor can continue them, with this bot. They
 * belong to the bot's owner, who may read and delete them.
 */
export const VisitorOwner = Schema.Struct({
  /** The name that the visitor's browser has given itself. */
  visitor: Id,
  bot: Id,
  botOwner: UserId
})
export type VisitorOwner = typeof VisitorOwner.Type

/**
 * The owner of conversations. Conversations of different owners are separated, and a person's own ones from those of
 * the visitors of their bots.
 */
export const ConversationOwner = Schema.Union([PersonOwner, VisitorOwner])
export type ConversationOwner = PersonOwner | VisitorOwner

/**
 * An owner in the form in which stores keep it: the responsible person comes first, so that rows can be placed by that
 * person.
 */
export interface OwnerKey {
  readonly userId: UserId
  /** The bot; empty for a person's own conversations. */
  readonly bot: string
  readonly visitor: string
}

/** Returns the key of an owner. Different owners have different keys. */
export const ownerKey = (owner: ConversationOwner): OwnerKey => {
  if ("person" in owner) return { userId: owner.person, bot: "", visitor: "" }
  const { bot, botOwner: userId, visitor } = owner
  // With an empty name, the key would be that of the bot owner's own chats.
  if (bot === "" || visitor === "") throw new Error("A bot and its visitor have names that are not empty.")
  return { userId, bot, visitor }
}

/** Returns the owner from a key. */
export const ownerOf = ({ userId, bot, visitor }: OwnerKey): ConversationOwner =>
  bot === "" ? { person: userId } : { visitor, bot, botOwner: userId }

/**
 * A passage that a reply could cite, stored with the reply. A citation `[1]` in the reply's text refers to the source
 * with the `number` 1.
 */
export interface Source {
  readonly number: number
  readonly documentId: string
  readonly filename: string
  /** The page number, from 1; null if the document has no pages. */
  readonly page: number | null
  /** UTF-16 offsets into the document's text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /**
   * The headings above the start of the passage, followed by those that begin in it (`headingPath`); absent if there
   * are none.
   */
  readonly headings?: ReadonlyArray<Heading>
}

/**
 * The progress of a stored message. Messages of people are `complete` at once. A reply is `streaming` until it ends;
 * then it is `complete`, `stopped` or, for example if its process died, `failed`.
 */
export type MessageState = "complete" | "streaming" | "stopped" | "failed"

export const RATINGS = ["good", "bad"] as const

/** The opinion of a reply's reader. */
export const ReplyRating = Schema.Struct({
  rating: Schema.Literals(RATINGS).annotate({ description: "The opinion of the reply." }),
  comment: Schema.optionalKey(Schema.String).annotate({
    description: "The reason, in the reader's words: at most 2,000 characters."
  })
})
export type ReplyRating = typeof ReplyRating.Type

/** A stored message. */
export interface StoredMessage extends ChatMessage {
  readonly id: string
  /** The message that this message follows; null if it begins the chat. */
  readonly parentId: string | null
  /**
   * The ids of all messages that follow the same message, including this one, oldest first; empty if this is the only
   * one, or if all branches were read.
   */
  readonly versions: ReadonlyArray<string>
  readonly state: MessageState
  /**
   * The public id of the model that wrote the message; undefined for messages of people, and for a reply that no model
   * wrote.
   */
  readonly model: string | undefined
  /**
   * The name, as visitors see it, of the person who answered in place of a bot; may be empty. Absent for other
   * messages.
   */
  readonly author?: string
  /** The ids of the message's images (`ImageStore`); absent if it has none. */
  readonly imageIds?: ReadonlyArray<string>
  readonly sources: ReadonlyArray<Source>
  /**
   * The ids of documents that the question named and that were ready, but of which the model read nothing: the first
   * 100.
   */
  readonly unread: ReadonlyArray<string>
  /** The rating by the reply's reader; undefined if there is none. */
  readonly rating?: ReplyRating | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** A branch of a chat that anyone with its link can read. */
export interface ChatShare {
  /** A random id of 160 bits: the secret part of the link. */
  readonly id: string
  /** The id of the last message of the branch that is shared. */
  readonly upTo: string
  /** Unix milliseconds. */
  readonly sharedAt: number
}

/** A conversation with its title and times, without its messages. */
export interface Chat {
  readonly id: string
  readonly owner: ConversationOwner
  /** The beginning of the first message, or the title that was given later. */
  readonly title: string
  /** The project of a person's own chat; absent if the chat is in none. */
  readonly projectId?: string
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The maximum size of a transcript, in bytes of UTF-8: larger than the context window of any model, and small enough to
 * be read for many people at once.
 */
export const MAX_TRANSCRIPT_BYTES = 4 * 1024 * 1024

/**
 * The maximum size of a page of a transcript, in bytes of UTF-8: small enough that writing it does not delay other
 * requests.
 */
export const MAX_PAGE_BYTES = 256 * 1024

/** The maximum number of ids of unread documents in a reply. */
export const MOST_UNREAD = 100

const utf8 = new TextEncoder()

/** The bytes of a message that count towards the quota: its content and the texts of its sources, in UTF-8. */
export const storedBytes = (content: string, sources: ReadonlyArray<Source> = []): number => {
  let bytes = utf8.encode(content).byteLength
  for (const { text } of sources) bytes += utf8.encode(text).byteLength
  return bytes
}
