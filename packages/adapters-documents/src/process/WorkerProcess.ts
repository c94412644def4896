import { type ChildProcess, spawn } from "node:child_process"
import { setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import type { ParserKind } from "@parley/core/adapter"
import { countOf } from "@parley/core/adapter"
import { closeDescriptors, type ParserFences, programOf, readableFolders } from "./fences.ts"
import type { ParserMessage, ParserOrder, ParserOutcome, ParserRequest } from "./ParserMessage.ts"
import { SIZE_FILE } from "./residentMemory.ts"
import { limitTime, processorTime, timeLimit, type TimeOver } from "./TimeLimit.ts"

const TOO_SLOW = (milliseconds: number, { used }: TimeOver): ParserOutcome => ({
  _tag: "Unreadable",
  reason: `Reading the document took longer than the ${countOf(Number((milliseconds / 1000).toFixed(1)), "second")} a document of its size may take. Split it, or save it in a simpler form.`,
  failure: used ? "too_costly" : "our_side",
  exhausting: used
})
const CRASHED = {
  _tag: "Unreadable",
  reason:
    "Reading the document failed: it is damaged, or needs more memory than is allowed. Save it again or split it.",
  failure: "damaged",
  exhausting: true
} as const satisfies ParserOutcome

/** Signals that a process raises itself; any other came from outside and says nothing about its document. */
export const OWN_FAULTS: ReadonlySet<string> = new Set([
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGSEGV",
  "SIGSYS",
  "SIGTRAP"
])

/** Time limit for starting a process, on a very busy machine. */
const START_MILLISECONDS = 60_000

/** Below the server, so that on a busy machine answers come first; a third of the weight of others still makes progress. */
export const PARSER_NICENESS = 5

/** The process did not come up at all, which says nothing about a document. */
export class WorkerNotStarted extends Error {
  override readonly name = "WorkerNotStarted"
}

/** The options of a process. */
export interface WorkerOptions {
  readonly kind: ParserKind
  readonly fences: ParserFences
  readonly maxMemoryBytes: number
  /** Another module to parse with, and its folder, which the process may then read. For tests. */
  readonly parsers?: { readonly url: string; readonly folder: string } | undefined
}

interface Waiting {
  readonly request: ParserRequest
  readonly settle: (outcome: ParserOutcome | WorkerNotStarted) => void
  /** Ends the watch over the time. */
  stop: () => void
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
const ownModule = (path: string) => new URL(`${path}.${extension}`, import.meta.url)

const startProcess = ({ fences, parsers }: WorkerOptions): ChildProcess => {
  const readable = [...readableFolders(), SIZE_FILE, ...(parsers === undefined ? [] : [parsers.folder])]
  const { file, before } = programOf(fences)
  const permissions = ["--permission", "--allow-worker", ...readable.map((path) => `--allow-fs-read=${path}`)]
  const program = fileURLToPath(ownModule("./parserProcess"))
  const child = spawn(file, [...before, ...permissions, "--no-warnings", program], {
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  return child
}

/** At once, since the threads a process starts get its priority. If that is not allowed, it reads all the same. */
const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, PARSER_NICENESS)
  } catch {
    return
  }
}

/**
 * One process that reads documents, one at a time. It gets no environment, may read the files of its own packages only,
 * write none and start no program. Once its parser is loaded it can open neither file nor socket, if the machine has
 * that fence. It does not keep the server alive. Threads alone do not suffice: V8 ends the whole process when a single
 * large allocation fails in one of its threads.
 */
export class WorkerProcess {
  readonly kind: ParserKind
  readonly #child: ChildProcess
  readonly #fences: ParserFences
  /** Loaded and fenced in: documents may come. */
  #ready = false
  #usable = true
  /** The process has read a document before, whose remains may cause a failure. */
  #used = false
  #waiting: Waiting | undefined

  constructor(options: WorkerOptions) {
    this.kind = options.kind
    this.#fences = options.fences
    this.#child = startProcess(options)
    this.#child.unref()
    this.#child.channel?.unref()
    this.#child.on("message", (message) => this.#hear(message as ParserMessage))
    this.#child.once("error", () => this.#end(true))
    this.#child.once("exit", (_, signal) => this.#end(signal !== null && !OWN_FAULTS.has(signal)))
    const parsers = options.parsers?.url ?? ownModule("../parsing/parseDocument").href
    const { kind, maxMemoryBytes } = options
    this.#tell({ _tag: "Prepare", preparation: { kind, parsers, maxMemoryBytes } })
  }

  /** The process id; undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** True if the process can read another document. */
  get usable(): boolean {
    return this.#usable
  }

  /** Reads a document; `settle` is called once, unless the process is killed before. */
  read(request: ParserRequest, settle: Waiting["settle"]): void {
    this.#child.ref()
    this.#child.channel?.ref()
    const timer = setTimeout(() => this.#end(), START_MILLISECONDS)
    this.#waiting = { request, settle, stop: () => clearTimeout(timer) }
    if (this.#ready) this.#begin()
    else if (!this.#usable) this.#end()
  }

  /** Ends the process at once. */
  kill(): void {
    this.#usable = false
    this.#waiting?.stop()
    this.#waiting = undefined
    this.#child.kill("SIGKILL")
  }

  #tell(order: ParserOrder): void {
    this.#child.send(order, (failure) => {
      if (failure !== null) this.#end(true)
    })
  }

  #begin(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    const { limits, bytes } = waiting.request
    const milliseconds = timeLimit(limits, bytes.byteLength)
    waiting.stop()
    waiting.stop = limitTime(
      () => processorTime(this.#child.pid),
      milliseconds,
      (over) => {
        this.kill()
        waiting.settle(TOO_SLOW(milliseconds, over))
      }
    )
    this.#tell({ _tag: "Read", request: waiting.request })
  }

  async #fenceIn(): Promise<void> {
    const { pid } = this.#child
    if (pid !== undefined) await closeDescriptors(this.#fences, pid)
    this.#ready = true
    this.#begin()
  }

  #hear(message: ParserMessage): void {
    if (message._tag === "Prepared") {
      void this.#fenceIn()
      return
    }
    const waiting = this.#waiting
    this.#waiting = undefined
    if (message.spent) this.kill()
    this.#child.unref()
    this.#child.channel?.unref()
    waiting?.stop()
    waiting?.settle(this.#judged(message.outcome))
    this.#used = true
  }

  #judged(outcome: ParserOutcome): ParserOutcome {
    const isDoubtful = outcome._tag === "Unreadable" && outcome.exhausting && this.#used
    return isDoubtful ? { ...outcome, doubtful: true } : outcome
  }

  #end(fromOutside = false): void {
    const waiting = this.#waiting
    this.kill()
    if (!this.#ready) return waiting?.settle(new WorkerNotStarted("The parser process ended before it could start."))
    waiting?.settle(fromOutside ? { ...CRASHED, doubtful: true } : this.#judged(CRASHED))
  }
}
