import type { ParserKind } from "../parsing/loadParser.ts"
import type { WorkerProcess } from "./WorkerProcess.ts"

interface Idle {
  readonly parser: WorkerProcess
  readonly timer: NodeJS.Timeout
}

/** Keeps parser processes that have read a document for the next one, for a while. How many are out at once is not its concern. */
export class ParserPool {
  readonly #idleMilliseconds: number
  readonly #idle: Array<Idle> = []

  constructor(idleMilliseconds: number) {
    this.#idleMilliseconds = idleMilliseconds
  }

  /** An idle process that reads documents of this kind: all of them read text. Where none does, one is ended, for another to take its place. */
  take(kind: ParserKind): WorkerProcess | undefined {
    for (const { parser } of this.#idle.filter(({ parser }) => !parser.usable)) this.#remove(parser)
    const fit = this.#idle.findLast(({ parser }) => kind === "text" || parser.kind === kind)
    if (fit !== undefined) return this.#remove(fit.parser)
    const [oldest] = this.#idle
    if (oldest !== undefined) this.#remove(oldest.parser).kill()
    return undefined
  }

  /** Puts a process back that has nothing to read. */
  giveBack(parser: WorkerProcess): void {
    if (!parser.usable) return
    const timer = setTimeout(() => this.#remove(parser).kill(), this.#idleMilliseconds).unref()
    this.#idle.push({ parser, timer })
  }

  /** Ends all idle processes. */
  close(): void {
    for (const { parser } of [...this.#idle]) this.#remove(parser).kill()
  }

  #remove(parser: WorkerProcess): WorkerProcess {
    const index = this.#idle.findIndex((idle) => idle.parser === parser)
    for (const { timer } of this.#idle.splice(index, index < 0 ? 0 : 1)) clearTimeout(timer)
    return parser
  }
}
