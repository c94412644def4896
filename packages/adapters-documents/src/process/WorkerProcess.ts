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

/** Signals that a process causes itself. Any other signal came from outside, so the document is not the reason. */
export const OWN_FAULTS: ReadonlySet<string> = new Set([
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGSEGV",
  "SIGSYS",
  "SIGTRAP"
])

/** Time limit for starting a process; it is long enough for a very busy machine. */
const START_MILLISECONDS = 60_000

/**
 * The niceness of parser processes: lower priority than the server, so that answers come first on a busy machine; a
 * parser still gets about a third of the time that a normal process gets.
 */
export const PARSER_NICENESS = 5

/** The process could not be started at all, so the document is not the reason. */
export class WorkerNotStarted extends Error {
  override readonly name = "WorkerNotStarted"
}

/** The options of a process. */
export interface WorkerOptions {
  readonly kind: ParserKind
  readonly fences: ParserFences
  readonly maxMemoryBytes: number
  /** Another module that parses, and its folder, which the process may then read; for tests. */
  readonly parsers?: { readonly url: string; readonly folder: string } | undefined
}

interface Waiting {
  readonly request: ParserRequest
  readonly settle: (outcome: ParserOutcome | WorkerNotStarted) => void
  /** Ends the watch of the time limit. */
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

/**
 * Lowers the priority at once, because threads that the process starts later inherit it. If lowering is not allowed,
 * the process works with the normal priority.
 */
const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, PARSER_NICENESS)
  } catch {
    return
  }
}

/**
 * A process that reads documents, one at a time. It gets no environment variables, may read only the files of its own
 * packages, and may neither write files nor start programs. After its parser is loaded, it can open neither files nor
 * sockets, if the machine supports that fence. It does not keep the server alive. A thread would not suffice, because
 * V8 ends the whole process if a single large allocation fails in one of its threads.
 */
export class WorkerProcess {
  readonly kind: ParserKind
  readonly #child: ChildProcess
  readonly #fences: ParserFences
  /** True after the parser is loaded and the fences are closed: documents may be sent. */
  #ready = false
  #usable = true
  /** True if the process has read a document before, whose remains may cause a failure. */
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

  /** Reads a document; `settle` is called once with the result, unless the process is killed before. */
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
