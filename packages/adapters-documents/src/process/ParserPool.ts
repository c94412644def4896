import type { ParserKind } from "@parley/core/adapter"
import type { WorkerProcess } from "./WorkerProcess.ts"

/** Kinds that need nothing loaded, so that every process reads them. */
const READ_BY_ALL: ReadonlySet<ParserKind> = new Set(["text", "markdown", "csv"])

interface Idle {
  readonly parser: WorkerProcess
  /** Ends it after the idle time; the spare process has none. */
  readonly timer: NodeJS.Timeout | undefined
}

/**
 * Keeps parser processes that have read a document for the next one of their kind, for a while. It does not count the
 * processes in use; together with the idle ones they never exceed its places. Effect's `Pool.makeWithTTL` returns the
 * item that came back last, of any kind, and its timer keeps the program alive.
 */
export class ParserPool {
  readonly #places: number
  readonly #idleMilliseconds: number
  /** In the order they came back. */
  readonly #idle: Array<Idle> = []
  #out = 0
  #startSpare: (() => WorkerProcess) | undefined

  constructor({ places, idleMilliseconds }: { readonly places: number; readonly idleMilliseconds: number }) {
    this.#places = places
    this.#idleMilliseconds = idleMilliseconds
  }

  /**
   * Returns an idle process that reads documents of this kind (all of them read texts), else a new one. Return it with
   * `giveBack`.
   */
  take(kind: ParserKind, start: () => WorkerProcess): WorkerProcess {
    for (const { parser } of this.#idle.filter(({ parser }) => !parser.usable)) this.#remove(parser)
    const same = this.#idle.findLast(({ parser }) => parser.kind === kind)
    const fit = same ?? (READ_BY_ALL.has(kind) ? this.#idle.at(-1) : undefined)
    if (fit === undefined) return this.takeNew(start)
    this.#out += 1
    return this.#remove(fit.parser)
  }

  /** Returns a new process. If all places are taken, the longest idle one is ended. Return it with `giveBack`. */
  takeNew(start: () => WorkerProcess): WorkerProcess {
    const [oldest] = this.#idle
    if (oldest !== undefined && this.#out + this.#idle.length >= this.#places) this.#remove(oldest.parser).kill()
    this.#out += 1
    return start()
  }

  /** Puts a process back that has nothing to read. */
  giveBack(parser: WorkerProcess): void {
    this.#out -= 1
    if (!parser.usable) return this.#addSpare()
    const end = () => {
      this.#remove(parser).kill()
      this.#addSpare()
    }
    this.#idle.push({ parser, timer: setTimeout(end, this.#idleMilliseconds).unref() })
  }

  /**
   * Has a spare process, which has read nothing and is not ended for being idle, stand ready whenever there is no other:
   * starting one takes longer than reading most documents.
   */
  keepSpare(start: () => WorkerProcess): void {
    this.#startSpare = start
    this.#addSpare()
  }

  /** Ends all idle processes. */
  close(): void {
    this.#startSpare = undefined
    for (const { parser } of [...this.#idle]) this.#remove(parser).kill()
  }

  #addSpare(): void {
    if (this.#startSpare === undefined || this.#out + this.#idle.length > 0) return
    this.#idle.push({ parser: this.#startSpare(), timer: undefined })
  }

  #remove(parser: WorkerProcess): WorkerProcess {
    const index = this.#idle.findIndex((idle) => idle.parser === parser)
    for (const { timer } of this.#idle.splice(index, index < 0 ? 0 : 1)) clearTimeout(timer)
    return parser
  }
}
