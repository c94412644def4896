import { Worker } from "node:worker_threads"
import {
  type ParserMessage,
  type ParserOrder,
  type ParserOutcome,
  type ParserPreparation,
  type ParserRequest,
  type ThreadAnswer,
  TOO_MUCH_MEMORY
} from "./ParserMessage.ts"
import { residentMemory } from "./residentMemory.ts"

/**
 * The process in which documents are read. Its main thread only watches: a second thread parses. So the memory can be
 * measured while the parser is busy, and the process ends itself if its server is gone.
 */
const MEMORY_CHECK_MILLISECONDS = 50
const CRASHED: ParserOutcome = {
  _tag: "Unreadable",
  reason: "The document is damaged in a way that stops it from being read. Save it again and upload the new file.",
  failure: "damaged",
  exhausting: true
}

const tell = (message: ParserMessage): void => {
  process.send?.(message)
}

interface Reading {
  readonly maxMemoryBytes: number
  readonly guard: NodeJS.Timeout
}

const memory = residentMemory()
let thread: Worker | undefined
let reading: Reading | undefined

const finish = (outcome: ParserOutcome, ended: boolean): void => {
  if (reading === undefined) return
  const { guard, maxMemoryBytes } = reading
  reading = undefined
  clearInterval(guard)
  tell({ _tag: "Answered", outcome, spent: ended || memory() > maxMemoryBytes / 2 })
}

const startThread = (preparation: ParserPreparation): Worker => {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
  const started = new Worker(new URL(`./parserThread.${extension}`, import.meta.url), {
    env: {},
    workerData: preparation,
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil((preparation.maxMemoryBytes / 1024 / 1024) * 0.75) }
  })
  started.on("message", (message: ThreadAnswer | "prepared") => {
    if (message === "prepared") tell({ _tag: "Prepared" })
    else finish(message.outcome, message.spent)
  })
  started.on("error", (cause: Error & { code?: string }) => {
    // If there is no document, the parser itself cannot be loaded.
    if (reading === undefined) process.exit(1)
    finish(cause.code === "ERR_WORKER_OUT_OF_MEMORY" ? TOO_MUCH_MEMORY : CRASHED, true)
  })
  return started
}

const guardMemory = (maxMemoryBytes: number): NodeJS.Timeout =>
  setInterval(() => {
    if (memory() > maxMemoryBytes) finish(TOO_MUCH_MEMORY, true)
  }, MEMORY_CHECK_MILLISECONDS)

const read = (request: ParserRequest): void => {
  const { bytes, limits } = request
  reading = { maxMemoryBytes: limits.maxMemoryBytes, guard: guardMemory(limits.maxMemoryBytes) }
  thread?.postMessage(request, [bytes.buffer as ArrayBuffer])
}

process.on("message", (order: ParserOrder) => {
  if (order._tag === "Prepare") thread = startThread(order.preparation)
  else read(order.request)
})
process.once("disconnect", () => process.exit())
// Ignores signals: a signal that ends the server often reaches all its processes, but the server lets documents be read
// to their end before it ends this process.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => undefined)
