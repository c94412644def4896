import { DocumentParser } from "@parley/core/adapter"
import { Layer, ManagedRuntime } from "effect"
import type { ParserLimits } from "./ParserLimits.ts"
import { TesseractOcr, type TesseractOptions } from "./TesseractOcr.ts"
import { WorkerDocumentParser } from "./WorkerDocumentParser.ts"

/** A parser for applications that use promises: pass `parser` to `createParley`. */
export interface OpenDocumentParser {
  readonly parser: DocumentParser["Service"]
  /** Ends the worker processes. Close the users of the parser before. */
  close(): Promise<void>
}

/** Limits override the defaults one by one; `ocr` reads scans with tesseract.js, if it is installed. */
export interface DocumentParserOptions extends Partial<ParserLimits> {
  readonly ocr?: TesseractOptions
}

/** Opens a `WorkerDocumentParser`. Starts nothing until the first document. */
export const openDocumentParser = async ({
  ocr,
  ...limits
}: DocumentParserOptions = {}): Promise<OpenDocumentParser> => {
  const recognition = ocr === undefined ? Layer.empty : TesseractOcr.layer(ocr)
  const runtime = ManagedRuntime.make(Layer.provide(WorkerDocumentParser.layer(limits), recognition))
  return { parser: await runtime.runPromise(DocumentParser), close: () => runtime.dispose() }
}
