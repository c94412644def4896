import { Worker } from "node:worker_threads"
import { databaseClosed } from "./Database.ts"

export interface PgliteThreadOptions {
  /** The folder of the database; in memory unless given. */
  readonly dataDir?: string | undefined
  /** A dump of a data folder to begin with, where the folder is new or in memory. */
  readonly prepared?: Uint8Array<ArrayBuffer> | undefined
}

export type PgliteQuestion = { readonly id: number } & (
  | { readonly kind: "query"; readonly text: string; readonly params: ReadonlyArray<unknown> }
  | { readonly kind: "script"; readonly text: string }
  | { readonly kind: "dump" }
  | { readonly kind: "close" }
)

/** What the thread tells of an error. */
export interface PgliteErrorReport {
  readonly message: string
  readonly severity: unknown
  readonly code: unknown
  readonly constraint: unknown
  readonly detail: unknown
}

export type PgliteAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: PgliteErrorReport }

type WithoutId<Q> = Q extends unknown ? Omit<Q, "id"> : never

/** The entry beside this module: a source where this is one, else compiled. */
const entry = new URL(`./pgliteWorker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/** A PGlite in a thread of its own, so that no query holds up the caller's. Asks are answered in order. */
export class PgliteThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  #nextId = 1
  #ended: Error | undefined

  constructor(options: PgliteThreadOptions) {
    this.#worker = new Worker(entry, { workerData: options, name: "parley-database" })
    // An idle database does not keep a process alive; a question that waits for its answer does.
    this.#worker.unref()
    this.#worker.on("message", (answer: PgliteAnswer) => this.#settle(answer))
    this.#worker.on("error", (error) => this.#end(error as Error))
    this.#worker.on("exit", () => this.#end(new Error("The embedded database has stopped.")))
  }

  /** Sends a question; rejects with the database's report, or where the thread has ended. */
  ask(question: WithoutId<PgliteQuestion>): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...question, id })
    })
  }

  /** Closes the database and ends the thread. */
  async close(): Promise<void> {
    const asked = this.#ended === undefined ? this.ask({ kind: "close" }) : Promise.resolve()
    this.#ended ??= databaseClosed()
    await asked.catch(() => undefined)
    await this.#worker.terminate()
  }

  #settle(answer: PgliteAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (answer.ok) waiting?.resolve(answer.value)
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error))
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended)
    this.#waiting.clear()
  }
}
