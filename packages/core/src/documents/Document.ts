import type { UserId } from "../identity/UserId.ts"
import type { DocumentFailure } from "./reading/DocumentParser.ts"
import type { DocumentType } from "./documentTypes.ts"
import type { Heading } from "./reading/Heading.ts"

/** `processing` until its passages can be searched (`ready`) or its text cannot be read (`failed`). */
export const DOCUMENT_STATUSES = ["processing", "ready", "failed"] as const
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number]

/** The conversation of a visitor with a bot, as its files name it; the person of the document owns the bot. */
export interface ConversationOfFile {
  readonly bot: string
  readonly visitor: string
  readonly id: string
}

export interface Document {
  readonly id: string
  readonly userId: UserId
  readonly filename: string
  readonly type: DocumentType
  readonly bytes: number
  readonly status: DocumentStatus
  /** Work done, from 0 to 1. */
  readonly progress: number
  /** A sentence for people; only if `failed`. */
  readonly reason: string | undefined
  /** The same for programs; only if `failed`, and absent if the cause is not known. */
  readonly reasonCode?: DocumentFailure | undefined
  /** A sentence for people; only if `ready` and a part of the file has no readable text. */
  readonly notice?: string | undefined
  /** Set once ready. Null if the type has no pages. */
  readonly pages: number | undefined
  readonly passages: number | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /** The conversation to which a visitor attached the file: only its replies read it. Absent of the person's own documents. */
  readonly conversation?: ConversationOfFile
}

/** The document's id and owner: every store keeps documents by their owner, and finds them by both. */
export interface DocumentKey {
  readonly userId: UserId
  readonly documentId: string
}

/** A piece of a document's text that can be searched and cited. */
export interface Passage {
  /** Position within the document, from 0. */
  readonly ordinal: number
  /** From 1; null if the type has no pages. */
  readonly page: number | null
  /** UTF-16 offsets into the document's text: `documentText.slice(start, end) === text`. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** The headings above its start, then those that begin in it (see `headingPath`); absent if there are none. */
  readonly headings?: ReadonlyArray<Heading>
}

/** A passage found for a question. Higher scores are better and compare within one search only. */
export interface FoundPassage extends Passage {
  readonly documentId: string
  readonly filename: string
  readonly score: number
  /** The cosine of its embedding and the question's, if both were compared. */
  readonly similarity?: number
}
