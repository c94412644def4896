import { Context, type Effect, Schema } from "effect"

/** A picture on a page of a scan, as a PNG file. */
export interface ScannedPicture {
  /** From 1. */
  readonly page: number
  readonly png: Uint8Array
}

/** Text recognition does not work here: it is set up wrongly, or broke. Nothing is said of the document. */
export class OcrFailed extends Schema.TaggedError<OcrFailed>()("OcrFailed", { cause: Schema.Unknown }) {
  readonly code = "ocr_failed"
  override get message() {
    return "The text of a scan could not be recognised. Look at how text recognition is set up."
  }
}

export interface OcrService {
  /** Returns the text in a picture, in lines; empty if it shows none. */
  readonly recognise: (picture: ScannedPicture) => Effect.Effect<string, OcrFailed>
}

/** Recognises the text of scans. None by default: a scan is unreadable then, with a reason that says so. */
export class Ocr extends Context.Reference<OcrService | undefined>("@parley/core/documents/Ocr", {
  defaultValue: () => undefined
}) {}
