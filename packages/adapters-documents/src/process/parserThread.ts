import { parentPort, workerData } from "node:worker_threads"
import type * as Parsers from "../parsing/parseDocument.ts"
import type { Unreadable } from "../parsing/Unreadable.ts"
import { closeThread } from "./closeThread.ts"
import type { ParserOutcome, ParserPreparation, ParserRequest, ThreadAnswer } from "./ParserMessage.ts"

const NESTED = "The document is nested too deeply to be read. Simplify its structure and upload it again."
const DAMAGED = "The document is damaged and cannot be read. Save it again and upload the new file."

const { kind: prepared, parsers } = workerData as ParserPreparation
const port = parentPort
const { loadParser, parseDocument, readScanPage } = (await import(parsers)) as typeof Parsers
await loadParser(prepared)
closeThread()

/** True if the error comes from a WebAssembly module, whose memory may be in any state after a failure. */
const isOfBrokenModule = (cause: unknown): boolean =>
  cause instanceof Error && (cause.name === "RuntimeError" || isOfBrokenModule(cause.cause))

const read = async (request: ParserRequest): Promise<ThreadAnswer> => {
  try {
    return { outcome: await readWhole(request), spent: false }
  } catch (cause) {
    return { outcome: { _tag: "Unreadable", ...verdictOf(cause), exhausting: false }, spent: isOfBrokenModule(cause) }
  }
}

const readWhole = async ({ attachments, kind, bytes, limits, picturesOf }: ParserRequest): Promise<ParserOutcome> =>
  picturesOf === undefined
    ? { _tag: "Parsed", document: await parseDocument(kind, bytes, limits, attachments) }
    : { _tag: "Pictured", pictures: await readScanPage(kind, bytes, limits, picturesOf) }

/**
 * Returns the reason why reading failed. Only Parley's own sentences leave the process; messages of parser libraries
 * stay here, because they may quote the content.
 */
const verdictOf = (cause: unknown): Pick<Unreadable, "failure"> & { readonly reason: string } => {
  if (cause instanceof Error && cause.name === "Unreadable") {
    return { failure: (cause as Unreadable).failure, reason: cause.message }
  }
  return cause instanceof RangeError && cause.message.includes("call stack")
    ? { failure: "too_costly", reason: NESTED }
    : { failure: "damaged", reason: DAMAGED }
}

// A parser may leave a promise that fails after its document was answered; this must not affect the next document.
process.on("unhandledRejection", () => {})

port?.on("message", (request: ParserRequest) => {
  void read(request).then((answer) => port.postMessage(answer))
})
port?.postMessage("prepared")
