import type { DocumentFailure, ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { PagedText } from "../parsing/pdf/parsePdf.ts"
import type { AttachmentKinds } from "../parsing/mail/parseMail.ts"
import type { ScanPage } from "../parsing/pdf/parsePdf.ts"
import type { ParserLimits } from "../ParserLimits.ts"

/** The parser that a process has to load before its first document. */
export interface ParserPreparation {
  readonly kind: ParserKind
  /** The URL of the module that parses; it has the exports of `parseDocument.ts`. */
  readonly parsers: string
  readonly maxMemoryBytes: number
}

/** One document to be read. */
export interface ParserRequest {
  readonly kind: ParserKind
  readonly bytes: Uint8Array
  readonly limits: ParserLimits
  /** The kinds of parsers for attachments, by file extension. */
  readonly attachments?: AttachmentKinds
  /** The page of a scan, counted from 1, whose pictures are requested in place of the text. */
  readonly picturesOf?: number
}

/** The messages to a parser process: first one `Prepare`, then one `Read` for each document. */
export type ParserOrder =
  | { readonly _tag: "Prepare"; readonly preparation: ParserPreparation }
  | { readonly _tag: "Read"; readonly request: ParserRequest }

/** The text of a document, and for a PDF the pages without readable text. */
export type ReadDocument = ParsedDocument & Pick<PagedText, "unreadPages">

/** The result of reading a document. */
export type ParserOutcome =
  | { readonly _tag: "Parsed"; readonly document: ReadDocument }
  | { readonly _tag: "Pictured"; readonly pictures: ScanPage }
  | {
      readonly _tag: "Unreadable"
      readonly reason: string
      readonly failure: DocumentFailure
      /** True if reading was ended because of its cost, or if it broke the process. */
      readonly exhausting: boolean
      /**
       * True if the cause may be outside the document: another process, or documents that the process has read before.
       */
      readonly doubtful?: boolean
    }

/** The messages of a parser process: one after it has loaded its parser, then one answer to each request. */
export type ParserMessage =
  | { readonly _tag: "Prepared" }
  | {
      readonly _tag: "Answered"
      readonly outcome: ParserOutcome
      /**
       * True if the process must not read another document, because it has grown too large or a part of it is broken.
       */
      readonly spent: boolean
    }

/** The answer of the thread that parses, inside a parser process. */
export interface ThreadAnswer {
  readonly outcome: ParserOutcome
  /** True if a part of the thread is broken. */
  readonly spent: boolean
}

export const TOO_MUCH_MEMORY: ParserOutcome = {
  _tag: "Unreadable",
  reason: "Reading the document needs more memory than is allowed. Split it, or remove images and upload it again.",
  failure: "too_costly",
  exhausting: true
}
