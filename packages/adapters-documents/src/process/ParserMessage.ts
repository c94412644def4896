import type { DocumentFailure, ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { PagedText } from "../parsing/pdf/parsePdf.ts"
import type { AttachmentKinds } from "../parsing/mail/parseMail.ts"
import type { ScanPage } from "../parsing/pdf/parsePdf.ts"
import type { ParserLimits } from "../ParserLimits.ts"

/** The parser that a process loads before its first document. */
export interface ParserPreparation {
  readonly kind: ParserKind
  /** URL of the module that parses, with the exports of `parseDocument.ts`. */
  readonly parsers: string
  readonly maxMemoryBytes: number
}

/** One document to be read. */
export interface ParserRequest {
  readonly kind: ParserKind
  readonly bytes: Uint8Array
  readonly limits: ParserLimits
  /** The kinds of attachments by the extensions of their names. */
  readonly attachments?: AttachmentKinds
  /** Return the pictures of this page of a scan, from 1, instead of its text. */
  readonly picturesOf?: number
}

/** The orders to a parser process: to prepare, once, and then one document at a time. */
export type ParserOrder =
  | { readonly _tag: "Prepare"; readonly preparation: ParserPreparation }
  | { readonly _tag: "Read"; readonly request: ParserRequest }

/** The text of a document; of a PDF also the pages without readable text. */
export type ReadDocument = ParsedDocument & Pick<PagedText, "unreadPages">

/** The result of reading a document. */
export type ParserOutcome =
  | { readonly _tag: "Parsed"; readonly document: ReadDocument }
  | { readonly _tag: "Pictured"; readonly pictures: ScanPage }
  | {
      readonly _tag: "Unreadable"
      readonly reason: string
      readonly failure: DocumentFailure
      /** Reading was ended for its cost, or broke the process. */
      readonly exhausting: boolean
      /** The cause may be outside the document: another process, or the documents read before. */
      readonly doubtful?: boolean
    }

/** The messages of a parser process: that it has loaded its parser, then one answer per request. */
export type ParserMessage =
  | { readonly _tag: "Prepared" }
  | {
      readonly _tag: "Answered"
      readonly outcome: ParserOutcome
      /** The process shall read no other document: it has grown too large, or a part of it is broken. */
      readonly spent: boolean
    }

/** The answer of the thread that parses. */
export interface ThreadAnswer {
  readonly outcome: ParserOutcome
  /** A part of the thread is broken. */
  readonly spent: boolean
}

export const TOO_MUCH_MEMORY: ParserOutcome = {
  _tag: "Unreadable",
  reason: "Reading the document needs more memory than is allowed. Split it, or remove images and upload it again.",
  failure: "too_costly",
  exhausting: true
}
