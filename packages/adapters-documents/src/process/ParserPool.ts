import { WorkerProcess } from "./WorkerProcess.ts"

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

  /** An idle process, or a new one. */
  take(): WorkerProcess {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (idle.parser.usable) return idle.parser
    }
    return new WorkerProcess()
  }

  /** Puts a process back that has nothing to read. */
  giveBack(parser: WorkerProcess): void {
    if (!parser.usable) return
    const timer = setTimeout(() => this.#retire(parser), this.#idleMilliseconds).unref()
    this.#idle.push({ parser, timer })
  }

  /** Ends all idle processes. */
  close(): void {
    for (const { parser, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      parser.kill()
    }
  }

  #retire(parser: WorkerProcess): void {
    parser.kill()
    const index = this.#idle.findIndex((idle) => idle.parser === parser)
    if (index >= 0) this.#idle.splice(index, 1)
  }
}
