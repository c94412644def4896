import { DocumentParser } from "@parley/core/adapter"
import { Layer, ManagedRuntime } from "effect"
import { TesseractOcr, type TesseractOptions } from "./TesseractOcr.ts"
import { WorkerDocumentParser, type WorkerParserOptions } from "./WorkerDocumentParser.ts"

/** A parser for applications that use promises: pass `parser` to `createParley`. */
export interface OpenDocumentParser {
  readonly parser: DocumentParser["Service"]
  /** Ends the worker processes. Close everything that uses the parser first. */
  close(): Promise<void>
}

/** The options of the parser. If `ocr` is given, tesseract.js, which must be installed, reads scans and pictures. */
export interface DocumentParserOptions extends WorkerParserOptions {
  readonly ocr?: TesseractOptions
}

/** Opens a `WorkerDocumentParser`. It starts no process before the first document or `prepare`. */
export const openDocumentParser = async ({
  ocr,
  ...options
}: DocumentParserOptions = {}): Promise<OpenDocumentParser> => {
  const recognition = ocr === undefined ? Layer.empty : TesseractOcr.layer(ocr)
  const runtime = ManagedRuntime.make(Layer.provide(WorkerDocumentParser.layer(options), recognition))
  return { parser: await runtime.runPromise(DocumentParser), close: () => runtime.dispose() }
}
