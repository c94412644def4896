import { DocumentParser } from "@parley/core/adapter"
import { Layer, ManagedRuntime } from "effect"
import { TesseractOcr, type TesseractOptions } from "./TesseractOcr.ts"
import { WorkerDocumentParser, type WorkerParserOptions } from "./WorkerDocumentParser.ts"

/** A parser for applications that use promises: pass `parser` to `createParley`. */
export interface OpenDocumentParser {
  readonly parser: DocumentParser["Service"]
  /** Ends the worker processes. Close the users of the parser before. */
  close(): Promise<void>
}

/** `ocr` reads scans and pictures with tesseract.js, if it is installed. */
export interface DocumentParserOptions extends WorkerParserOptions {
  readonly ocr?: TesseractOptions
}

/** Opens a `WorkerDocumentParser`. Starts nothing until the first document, or `prepare`. */
export const openDocumentParser = async ({
  ocr,
  ...options
}: DocumentParserOptions = {}): Promise<OpenDocumentParser> => {
  const recognition = ocr === undefined ? Layer.empty : TesseractOcr.layer(ocr)
  const runtime = ManagedRuntime.make(Layer.provide(WorkerDocumentParser.layer(options), recognition))
  return { parser: await runtime.runPromise(DocumentParser), close: () => runtime.dispose() }
}
