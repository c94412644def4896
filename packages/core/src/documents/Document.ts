import type { UserId } from "../identity/UserId.ts"
import type { DocumentFailure } from "./reading/DocumentParser.ts"
import type { DocumentType } from "./documentTypes.ts"
import type { Heading } from "./reading/Heading.ts"

/** `processing` until the passages can be searched (`ready`), or until reading has failed for good (`failed`). */
export const DOCUMENT_STATUSES = ["processing", "ready", "failed"] as const
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number]

/** The conversation of a visitor with a bot to which a file belongs; the owner of the document also owns the bot. */
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
  /** The part of the processing that is done, from 0 to 1. */
  readonly progress: number
  /** A sentence for people about the failure; undefined unless `failed`. */
  readonly reason: string | undefined
  /** The code of the failure for programs; only if `failed`, and absent if the cause is not known. */
  readonly reasonCode?: DocumentFailure | undefined
  /** A sentence for people; only if `ready`, and a part of the file has no readable text. */
  readonly notice?: string | undefined
  /** The number of pages; undefined until ready, null if the type has no pages. */
  readonly pages: number | undefined
  readonly passages: number | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /**
   * The conversation to which a visitor attached the file: only its replies read the file. Absent for the person's own
   * documents.
   */
  readonly conversation?: ConversationOfFile
}

/** The owner and the id of a document: every store keeps documents by their owner, and needs both to find one. */
export interface DocumentKey {
  readonly userId: UserId
  readonly documentId: string
}

/** A piece of a document's text that can be searched and cited. */
export interface Passage {
  /** The position within the document, from 0. */
  readonly ordinal: number
  /** The page number, from 1; null if the type has no pages. */
  readonly page: number | null
  /** UTF-16 offsets into the document's text: `documentText.slice(start, end) === text`. */
  readonly start: number
  readonly end: number
  readonly text: string
  /**
   * The headings above the start of the passage, followed by those that begin in it (see `headingPath`); absent if
   * there are none.
   */
  readonly headings?: ReadonlyArray<Heading>
}

/**
 * A passage that was found for a question. Higher scores are better; scores of different searches cannot be compared.
 */
export interface FoundPassage extends Passage {
  readonly documentId: string
  readonly filename: string
  readonly score: number
  /** The cosine between the embeddings of the passage and the question; absent if they were not compared. */
  readonly similarity?: number
}
