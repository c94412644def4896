import { Context, type Effect, Schema } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentType } from "../documentTypes.ts"
import type { Heading } from "./Heading.ts"

/**
 * Why a document could not be read, for programs; its `reason` says the same to people. `password`: it is locked.
 * `scan`: its pages are
 * images, without text. `no_text`: nothing in it is text. `damaged`, `incomplete`: its bytes are not what they should be.
 * `encoding`: text, but in no encoding that is known. `too_long`: more text, pages or parts than are read. `too_costly`: reading it took
 * more time or memory than a document may. `unreadable`: it was tried too often, or nothing more is known. `waiting`: its
 * owner's documents are read again later. `our_side`: the server failed, not the document.
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
  /** UTF-16 offset into `text` at which each page starts, first page first; null where the type has no pages. */
  readonly pageStarts: ReadonlyArray<number> | null
  /** In the order of the text, at most `MAX_HEADINGS`; absent where it has none, or the type tells of none. */
  readonly headings?: ReadonlyArray<Heading>
}

/**
 * The bytes cannot be read as text. Trying again gives the same. `reason` is a sentence for the document's owner, `failure`
 * the same for programs; `exhausting` is true where reading was ended because it exceeded a bound of time or memory, or broke the reader.
 */
export class DocumentUnreadable extends Schema.TaggedError<DocumentUnreadable>()("DocumentUnreadable", {
  reason: Schema.String,
  /** `unreadable` where it is not given. */
  failure: Schema.optionalKey(Schema.Literals(DOCUMENT_FAILURES)),
  exhausting: Schema.optionalKey(Schema.Boolean)
}) {
  readonly code = "document_unreadable"
  override get message() {
    return this.reason
  }
}

/**
 * Reads text out of a document's bytes, within bounds of time, memory and size that the implementation sets. Where it
 * reads a bounded number at a time, people take turns, and one person's documents leave room for those of others.
 */
export class DocumentParser extends Context.Service<
  DocumentParser,
  {
    /**
     * The version of how documents of a type are read, of at most 255 characters: where it changes, their texts would be others.
     * Undefined, or not there, where nothing is known of that.
     */
    versionOf?(type: DocumentType): string | undefined
    parse(input: {
      readonly type: DocumentType
      readonly bytes: Uint8Array
      /** Whose document it is. */
      readonly userId: UserId
    }): Effect.Effect<ParsedDocument, DocumentUnreadable>
  }
>()("@parley/core/documents/DocumentParser") {}
