import { Context, type Effect, Schema } from "effect"

/** A picture from a page of a scan, as a PNG file. */
export interface ScannedPicture {
  /** The page number, from 1. */
  readonly page: number
  readonly png: Uint8Array
}

/**
 * Text recognition does not work on this server, because it is configured wrongly or failed. The document is not the
 * cause.
 */
export class OcrFailed extends Schema.TaggedError<OcrFailed>()("OcrFailed", { cause: Schema.Unknown }) {
  readonly code = "ocr_failed"
  override get message() {
    return "The text of a scan could not be recognised. Look at how text recognition is set up."
  }
}

export interface OcrService {
  /** Returns the text in a picture, in lines; empty if the picture shows none. */
  readonly recognise: (picture: ScannedPicture) => Effect.Effect<string, OcrFailed>
}

/** Recognises the text of scans. None unless configured: a scan is then unreadable, and the reason says so. */
export class Ocr extends Context.Reference<OcrService | undefined>("@parley/core/documents/Ocr", {
  defaultValue: () => undefined
}) {}
