import { Context, type Effect, Schema } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentType } from "../documentTypes.ts"
import type { Heading } from "./Heading.ts"

/**
 * The reasons why a document could not be read, for programs; its `reason` is the sentence for people. `password`: the
 * file is locked. `scan`: the pages are images without text. `no_text`: the file contains no text. `damaged`,
 * `incomplete`: the bytes are faulty, or some are missing. `encoding`: text in an unknown encoding. `too_long`: more
 * text, pages or parts than the parser reads. `too_costly`: reading took more time or memory than allowed.
 * `unreadable`: too many tries failed, or the cause is unknown. `waiting`: the server will read documents of this owner
 * again later. `our_side`: the failure was in the server, not in the document.
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

/** Returns true if reading the same bytes again, now or later, may succeed. */
export const mayBeReadAgain = (failure: DocumentFailure | undefined): boolean =>
  failure === "our_side" || failure === "waiting"

/** The text that a parser read from a document. */
export interface ParsedDocument {
  readonly text: string
  /** The UTF-16 offsets into `text` at which pages start, first page first; null if the type has no pages. */
  readonly pageStarts: ReadonlyArray<number> | null
  /**
   * The headings in the order of the text, at most `MAX_HEADINGS`; absent if there are none, or if the type does not
   * mark them.
   */
  readonly headings?: ReadonlyArray<Heading>
  /** A sentence for the owner, if a part of the file has no readable text. */
  readonly notice?: string
}

/**
 * The bytes cannot be read as text, and another try would end in the same way. `reason` is a sentence for the
 * document's owner, `failure` the code for programs. `exhausting` is true if reading exceeded a limit of time or
 * memory, or crashed the parser.
 */
export class DocumentUnreadable extends Schema.TaggedError<DocumentUnreadable>()("DocumentUnreadable", {
  reason: Schema.String,
  /** `unreadable` unless given. */
  failure: Schema.optionalKey(Schema.Literals(DOCUMENT_FAILURES)),
  exhausting: Schema.optionalKey(Schema.Boolean)
}) {
  readonly code = "document_unreadable"
  override get message() {
    return this.reason
  }
}

/**
 * Reads text from a document's bytes, within limits of time, memory and size that the implementation sets. If the
 * parser reads a limited number of documents at a time, people take turns, so that one person's documents do not delay
 * those of others.
 */
export class DocumentParser extends Context.Service<
  DocumentParser,
  {
    /**
     * Returns the version of the parser of a type, at most 255 characters; a parser with a new version may read other
     * texts. Undefined or absent if the parser has no versions.
     */
    versionOf?(type: DocumentType): string | undefined
    /**
     * Prepares for the next document, so that its reading starts sooner. A process that reads documents runs this soon
     * after its start. Absent if the parser needs no preparation.
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
