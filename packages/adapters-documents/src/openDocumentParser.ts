import { DocumentParser } from "@parley/core/adapter"
import { ManagedRuntime } from "effect"
import type { ParserLimits } from "./ParserLimits.ts"
import { WorkerDocumentParser } from "./WorkerDocumentParser.ts"

/** A parser for developers who use promises: hand `parser` to `createParley`. */
export interface OpenDocumentParser {
  readonly parser: DocumentParser["Service"]
  /** Ends the worker processes. Close what uses the parser before. */
  close(): Promise<void>
}

/** Opens a `WorkerDocumentParser`; `limits` overrides the defaults one by one. Starts nothing until the first document. */
export const openDocumentParser = async (limits: Partial<ParserLimits> = {}): Promise<OpenDocumentParser> => {
  const runtime = ManagedRuntime.make(WorkerDocumentParser.layer(limits))
  return { parser: await runtime.runPromise(DocumentParser), close: () => runtime.dispose() }
}
