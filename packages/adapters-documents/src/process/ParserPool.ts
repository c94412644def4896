import type { ParserKind } from "@parley/core/adapter"
import type { WorkerProcess } from "./WorkerProcess.ts"

/** The kinds of documents that every process can read, because their parsers need no further modules. */
const READ_BY_ALL: ReadonlySet<ParserKind> = new Set(["text", "markdown", "csv"])

interface Idle {
  readonly parser: WorkerProcess
  /** The timer that ends the process after the idle time; undefined for the spare process, which is not ended. */
  readonly timer: NodeJS.Timeout | undefined
}

/**
 * Keeps parser processes that have read a document for a while, for the next document of their kind. The pool does not
 * limit the processes in use; its places bound the number of used and idle ones together. Effect's `Pool.makeWithTTL`
 * is not used, because it returns the item that came back last, of any kind, and its timer keeps the program alive.
 */
export class ParserPool {
  readonly #places: number
  readonly #idleMilliseconds: number
  /** The idle processes, in the order in which they were given back. */
  readonly #idle: Array<Idle> = []
  #out = 0
  #startSpare: (() => WorkerProcess) | undefined

  constructor({ places, idleMilliseconds }: { readonly places: number; readonly idleMilliseconds: number }) {
    this.#places = places
    this.#idleMilliseconds = idleMilliseconds
  }

  /**
   * Returns an idle process that reads documents of this kind, or a new one. Every process reads texts. The caller
   * gives it back with `giveBack`.
   */
  take(kind: ParserKind, start: () => WorkerProcess): WorkerProcess {
    for (const { parser } of this.#idle.filter(({ parser }) => !parser.usable)) this.#remove(parser)
    const same = this.#idle.findLast(({ parser }) => parser.kind === kind)
    const fit = same ?? (READ_BY_ALL.has(kind) ? this.#idle.at(-1) : undefined)
    if (fit === undefined) return this.takeNew(start)
    this.#out += 1
    return this.#remove(fit.parser)
  }

  /**
   * Returns a new process. If all places are taken, the process that has been idle for longest is ended. The caller
   * gives the new one back with `giveBack`.
   */
  takeNew(start: () => WorkerProcess): WorkerProcess {
    const [oldest] = this.#idle
    if (oldest !== undefined && this.#out + this.#idle.length >= this.#places) this.#remove(oldest.parser).kill()
    this.#out += 1
    return start()
  }

  /** Takes back a process that is not reading a document. */
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
   * Keeps a spare process ready whenever there is no other idle one, because starting a process takes longer than
   * reading most documents. The spare process has read no document, and is not ended for being idle.
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
