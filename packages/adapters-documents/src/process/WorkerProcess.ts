import { type ChildProcess, fork } from "node:child_process"
import { timeLimit } from "../ParserLimits.ts"
import type { ParserMessage, ParserOutcome, ParserRequest } from "./ParserMessage.ts"

const TOO_SLOW = (milliseconds: number): ParserOutcome => ({
  _tag: "Unreadable",
  reason: `Reading the document took longer than the ${Number((milliseconds / 1000).toFixed(1))} seconds a document of its size may take. Split it, or save it in a simpler form.`,
  exhausting: true
})
const CRASHED: ParserOutcome = {
  _tag: "Unreadable",
  reason:
    "Reading the document failed: it is damaged, or needs more memory than is allowed. Save it again or split it.",
  exhausting: true
}

/** How long a process may take to come up, on a machine that is very busy. */
const START_MILLISECONDS = 60_000

/** The process did not come up at all, which says nothing about a document. */
export class WorkerNotStarted extends Error {
  override readonly name = "WorkerNotStarted"
}

interface Waiting {
  readonly settle: (outcome: ParserOutcome | WorkerNotStarted) => void
  readonly milliseconds: number
  timer: NodeJS.Timeout
}

/**
 * One process that reads documents, one at a time. It gets no environment, may write no file and start no program, and
 * keeps nothing alive: the server ends whether or not it is idle. Threads alone would not do: V8 ends the whole process
 * when a single large allocation fails in one of its threads.
 */
export class WorkerProcess {
  readonly #child: ChildProcess
  #started = false
  #usable = true
  #waiting: Waiting | undefined

  constructor() {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
    this.#child = fork(new URL(`./parserProcess.${extension}`, import.meta.url), [], {
      execArgv: ["--permission", "--allow-fs-read=*", "--allow-worker", "--no-warnings"],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    this.#child.on("message", (message) => this.#hear(message as ParserMessage))
    this.#child.once("error", () => this.#end())
    this.#child.once("exit", () => this.#end())
  }

  /** The operating system's number of the process; undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Whether another document can be given to it. */
  get usable(): boolean {
    return this.#usable
  }

  /** Reads a document; `settle` is called once, unless the process is killed before. */
  read(request: ParserRequest, settle: Waiting["settle"]): void {
    const milliseconds = timeLimit(request.limits, request.bytes.byteLength)
    const notStarted = () => this.#end()
    const timer = this.#started ? this.#limit(milliseconds) : setTimeout(notStarted, START_MILLISECONDS)
    this.#waiting = { settle, milliseconds, timer }
    this.#child.ref()
    this.#child.channel?.ref()
    this.#child.send(request, (failure) => {
      if (failure !== null) this.#end()
    })
  }

  /** Ends the process at once, whatever it does. */
  kill(): void {
    this.#usable = false
    clearTimeout(this.#waiting?.timer)
    this.#waiting = undefined
    this.#child.kill("SIGKILL")
  }

  #hear(message: ParserMessage): void {
    const waiting = this.#waiting
    if (message._tag === "Started") {
      this.#started = true
      if (waiting === undefined) return
      clearTimeout(waiting.timer)
      waiting.timer = this.#limit(waiting.milliseconds)
      return
    }
    this.#waiting = undefined
    if (message.spent) this.kill()
    this.#child.unref()
    this.#child.channel?.unref()
    clearTimeout(waiting?.timer)
    waiting?.settle(message.outcome)
  }

  #limit(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      const waiting = this.#waiting
      this.kill()
      waiting?.settle(TOO_SLOW(milliseconds))
    }, milliseconds)
  }

  #end(): void {
    const waiting = this.#waiting
    this.kill()
    waiting?.settle(this.#started ? CRASHED : new WorkerNotStarted("The parser process ended before it could start."))
  }
}
