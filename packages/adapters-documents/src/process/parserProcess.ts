import { Worker } from "node:worker_threads"
import { type ParserMessage, type ParserOutcome, type ParserRequest, TOO_MUCH_MEMORY } from "./ParserMessage.ts"

/**
 * The process that documents are read in. Its main thread only guards: a second thread parses, so that memory can be
 * measured while a parser is busy, and so that this process ends itself when the server it belongs to is gone.
 */
const MEMORY_CHECK_MILLISECONDS = 50
const CRASHED: ParserOutcome = {
  _tag: "Unreadable",
  reason: "The document is damaged in a way that stops it from being read. Save it again and upload the new file.",
  exhausting: true
}

const tell = (message: ParserMessage): void => {
  process.send?.(message)
}

interface Reading {
  readonly maxMemoryBytes: number
  readonly guard: NodeJS.Timeout
}

let thread: Worker | undefined
let reading: Reading | undefined

const finish = (outcome: ParserOutcome): void => {
  if (reading === undefined) return
  const { guard, maxMemoryBytes } = reading
  reading = undefined
  clearInterval(guard)
  tell({ _tag: "Answered", outcome, spent: process.memoryUsage.rss() > maxMemoryBytes / 2 })
}

const startThread = (maxMemoryBytes: number): Worker => {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
  const started = new Worker(new URL(`./parserThread.${extension}`, import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil((maxMemoryBytes / 1024 / 1024) * 0.75) }
  })
  started.on("message", finish)
  started.on("error", (cause: Error & { code?: string }) => {
    thread = undefined
    finish(cause.code === "ERR_WORKER_OUT_OF_MEMORY" ? TOO_MUCH_MEMORY : CRASHED)
  })
  return started
}

const guardMemory = (maxMemoryBytes: number): NodeJS.Timeout =>
  setInterval(() => {
    if (process.memoryUsage.rss() > maxMemoryBytes) finish(TOO_MUCH_MEMORY)
  }, MEMORY_CHECK_MILLISECONDS)

process.on("message", ({ type, bytes, limits }: ParserRequest) => {
  reading = { maxMemoryBytes: limits.maxMemoryBytes, guard: guardMemory(limits.maxMemoryBytes) }
  thread ??= startThread(limits.maxMemoryBytes)
  thread.postMessage({ type, bytes, limits }, [bytes.buffer as ArrayBuffer])
})
process.once("disconnect", () => process.exit())
tell({ _tag: "Started" })
