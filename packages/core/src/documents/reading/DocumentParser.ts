import { Context, type Effect, Schema } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentType } from "../documentTypes.ts"
import type { Heading } from "./Heading.ts"

/**
 * Why a document could not be read, for programs; its `reason` says the same to people. `password`: the file is locked.
 * `scan`: the pages are images without text. `no_text`: the file holds no text. `damaged`, `incomplete`: the bytes are
 * not as they should be. `encoding`: text in no known encoding. `too_long`: more text, pages or parts than the parser
 * reads. `too_costly`: reading took more time or memory than allowed. `unreadable`: too many tries failed, or the cause
 * is not known. `waiting`: the server reads its owner's documents again later. `our_side`: the server failed, not the
 * document.
 */
export const DOCUMENT_FAILURES = [
  "password",
  "scan",
  "no_text",
  "damaged",
  "incomplete",
  "encoding",
  "too_long",
  "too_costly",
  "unreadable",
  "waiting",
  "our_side"
] as const
export type DocumentFailure = (typeof DOCUMENT_FAILURES)[number]

/** Whether reading the same bytes again may end otherwise, now or later. */
export const mayBeReadAgain = (failure: DocumentFailure | undefined): boolean =>
  failure === "our_side" || failure === "waiting"

/** The text of a document. */
export interface ParsedDocument {
  readonly text: string
  /** UTF-16 offset into `text` at which each page starts, first page first; null if the type has no pages. */
  readonly pageStarts: ReadonlyArray<number> | null
  /** In the order of the text, at most `MAX_HEADINGS`; absent if there are none, or if the type marks none. */
  readonly headings?: ReadonlyArray<Heading>
  /** A sentence for the owner if a part of the file has no readable text. */
  readonly notice?: string
}

/**
 * The bytes cannot be read as text, and another try ends the same way. `reason` is a sentence for the document's owner,
 * `failure` the same for programs. `exhausting` is true if reading was ended because it exceeded a bound of time or
 * memory, or broke the parser.
 */
export class DocumentUnreadable extends Schema.TaggedError<DocumentUnreadable>()("DocumentUnreadable", {
  reason: Schema.String,
  /** By default `unreadable`. */
  failure: Schema.optionalKey(Schema.Literals(DOCUMENT_FAILURES)),
  exhausting: Schema.optionalKey(Schema.Boolean)
}) {
  readonly code = "document_unreadable"
  override get message() {
    return this.reason
  }
}

/**
 * Reads text out of a document's bytes, within bounds of time, memory and size that the implementation sets. If the
 * parser reads a bounded number of documents at a time, people take turns, and one person's documents leave room for
 * those of others.
 */
export class DocumentParser extends Context.Service<
  DocumentParser,
  {
    /**
     * The version of the parser of a type, of at most 255 characters: a new version reads other texts. Undefined or
     * absent if the parser has no versions.
     */
    versionOf?(type: DocumentType): string | undefined
    /**
     * Prepares for the next document, so that reading it begins sooner. A process that reads documents runs it soon after
     * its start. Absent if the parser needs no preparation.
     */
    readonly prepare?: Effect.Effect<void>
    parse(input: {
      readonly type: DocumentType
      readonly bytes: Uint8Array
      /** The document's owner. */
      readonly userId: UserId
    }): Effect.Effect<ParsedDocument, DocumentUnreadable>
  }
>()("@parley/core/documents/DocumentParser") {}
