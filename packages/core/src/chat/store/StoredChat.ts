import { Schema } from "effect"
import { UserId } from "../../identity/UserId.ts"
import { Id } from "../../storage/inputs.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { Heading } from "../../documents/reading/Heading.ts"

/** A person's own conversations. */
export const PersonOwner = Schema.Struct({ person: UserId })
export type PersonOwner = typeof PersonOwner.Type

/**
 * The conversations of one visitor with one bot. Only this visitor continues them, with this bot. They belong to the
 * bot's owner, who may read and delete them.
 */
export const VisitorOwner = Schema.Struct({
  /** The name that the visitor's browser gave itself. */
  visitor: Id,
  bot: Id,
  botOwner: UserId
})
export type VisitorOwner = typeof VisitorOwner.Type

/**
 * The owner of conversations: each owner's are fenced from all others', and a person's own from those of the visitors
 * of their bots.
 */
export const ConversationOwner = Schema.Union([PersonOwner, VisitorOwner])
export type ConversationOwner = PersonOwner | VisitorOwner

/** An owner as stores keep it: the accountable person comes first, so that rows can be placed by that person. */
export interface OwnerKey {
  readonly userId: UserId
  /** Empty for a person's own conversations. */
  readonly bot: string
  readonly visitor: string
}

/** The key of an owner. Different owners have different keys. */
export const ownerKey = (owner: ConversationOwner): OwnerKey => {
  if ("person" in owner) return { userId: owner.person, bot: "", visitor: "" }
  const { bot, botOwner: userId, visitor } = owner
  // An empty name would be the key of the bot's owner.
  if (bot === "" || visitor === "") throw new Error("A bot and its visitor have names that are not empty.")
  return { userId, bot, visitor }
}

/** The owner of a key. */
export const ownerOf = ({ userId, bot, visitor }: OwnerKey): ConversationOwner =>
  bot === "" ? { person: userId } : { visitor, bot, botOwner: userId }

/** A passage that a reply could quote, as kept with the reply. `number` is what `[1]` in its text refers to. */
export interface Source {
  readonly number: number
  readonly documentId: string
  readonly filename: string
  /** From 1; null if the document has no pages. */
  readonly page: number | null
  /** UTF-16 offsets into the document's text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** The headings above the passage's start, then those that begin in it (`headingPath`); absent if there are none. */
  readonly headings?: ReadonlyArray<Heading>
}

/**
 * The progress of a stored message. Messages by people are `complete` at once; a reply is `streaming` until it ends,
 * and `failed` if its process died.
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

/** A message as stored. */
export interface StoredMessage extends ChatMessage {
  readonly id: string
  /** The message that it follows; null if it begins the chat. */
  readonly parentId: string | null
  /**
   * The ids of all messages that follow the same one, itself included, oldest first; empty if it is the only one, or if all
   * branches were read.
   */
  readonly versions: ReadonlyArray<string>
  readonly state: MessageState
  /** Public id of the model that wrote it; undefined for messages of people, and for a reply that no model wrote. */
  readonly model: string | undefined
  /** The name of the person who answered in the place of a bot, as visitors see it; may be empty. Absent of other messages. */
  readonly author?: string
  /** The ids of its images (`ImageStore`); absent if it has none. */
  readonly imageIds?: ReadonlyArray<string>
  readonly sources: ReadonlyArray<Source>
  /** Ids of documents that the question named and that were ready, and of which the model read nothing: the first 100. */
  readonly unread: ReadonlyArray<string>
  /** Undefined without a rating by its reader. */
  readonly rating?: ReplyRating | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** A branch of a chat that anyone with its link can read. */
export interface ChatShare {
  /** Random, 160 bits: the secret of the link. */
  readonly id: string
  /** The id of the last message of the branch that is shared. */
  readonly upTo: string
  /** Unix milliseconds. */
  readonly sharedAt: number
}

/** A conversation. */
export interface Chat {
  readonly id: string
  readonly owner: ConversationOwner
  /** The beginning of its first message. */
  readonly title: string
  /** The project of a person's own chat; absent if it is in none. */
  readonly projectId?: string
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The maximum size of a transcript, in bytes of UTF-8: more than any model's window takes, and little enough to be read
 * for many people at once.
 */
export const MAX_TRANSCRIPT_BYTES = 4 * 1024 * 1024

/** The most bytes (UTF-8) of a page of a transcript: few enough that writing one does not delay other requests. */
export const MAX_PAGE_BYTES = 256 * 1024

/** The most ids of unread documents that a reply names. */
export const MOST_UNREAD = 100

const utf8 = new TextEncoder()

/** A message's share of the quota: its content and the texts of its sources, in bytes of UTF-8. */
export const storedBytes = (content: string, sources: ReadonlyArray<Source> = []): number => {
  let bytes = utf8.encode(content).byteLength
  for (const { text } of sources) bytes += utf8.encode(text).byteLength
  return bytes
}
