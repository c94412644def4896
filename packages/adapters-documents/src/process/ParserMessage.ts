import type { DocumentType, ParsedDocument } from "@parley/core"
import type { ParserLimits } from "../ParserLimits.ts"

/** What a parser process is asked: one document at a time. */
export interface ParserRequest {
  readonly type: DocumentType
  readonly bytes: Uint8Array
  readonly limits: ParserLimits
}

/** What reading a document came to. */
export type ParserOutcome =
  | { readonly _tag: "Parsed"; readonly document: ParsedDocument }
  | {
      readonly _tag: "Unreadable"
      readonly reason: string
      /** Reading was ended for its cost, or broke the process. */
      readonly exhausting: boolean
    }

/** What a parser process says: that it runs, then one answer per request. */
export type ParserMessage =
  | { readonly _tag: "Started" }
  | {
      readonly _tag: "Answered"
      readonly outcome: ParserOutcome
      /** The process has grown too large to read another document. */
      readonly spent: boolean
    }

export const TOO_MUCH_MEMORY: ParserOutcome = {
  _tag: "Unreadable",
  reason: "Reading the document needs more memory than is allowed. Split it, or remove images and upload it again.",
  exhausting: true
}
