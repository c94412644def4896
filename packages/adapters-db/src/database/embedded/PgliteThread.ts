import type { Worker } from "node:worker_threads"
import { databaseClosed } from "../Database.ts"
import { takeEngine } from "./engineWorker.ts"

export interface PgliteThreadOptions {
  /** The folder of the database; if undefined, the database is in memory. */
  readonly dataDir?: string | undefined
  /** A dump of a data folder with which a database in memory begins. */
  readonly prepared?: Uint8Array<ArrayBuffer> | undefined
  /**
   * True if a new folder may begin as a copy of the shipped image, which contains the migrated schema `IMAGE_SCHEMA`.
   */
  readonly fromImage?: boolean | undefined
}

export type PgliteQuestion =
  | { readonly kind: "query"; readonly text: string; readonly params: ReadonlyArray<unknown> }
  | { readonly kind: "script"; readonly text: string }
  | { readonly kind: "dump" }
  | { readonly kind: "close" }

/** A message to the thread: the first one names the database to open, the others are numbered requests. */
export type PgliteMessage =
  | { readonly open: PgliteThreadOptions }
  | { readonly id: number; readonly question: PgliteQuestion }

/** An error in the form in which the thread reports it. */
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

/**
 * A PGlite in a thread of its own, so that queries do not block the caller's thread. Requests are answered in their
 * order.
 */
export class PgliteThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  #nextId = 1
  #ended: Error | undefined

  /** Begins to open the database. Requests wait until it is open; if it cannot be opened, they fail with the reason. */
  constructor(options: PgliteThreadOptions) {
    this.#worker = takeEngine({ forFolder: options.dataDir !== undefined })
    this.#worker.on("message", (answer: PgliteAnswer) => this.#settle(answer))
    this.#worker.on("error", (error) => this.#end(error as Error))
    this.#worker.on("exit", () => this.#end(new Error("The embedded database has stopped.")))
    this.#send({ open: options })
  }

  /** Sends a request; rejects with the database's error report, or with an error if the thread has ended. */
  ask(question: PgliteQuestion): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      this.#send({ id, question })
    })
  }

  /** Closes the database and ends the thread. */
  async close(): Promise<void> {
    const asked = this.#ended === undefined ? this.ask({ kind: "close" }) : Promise.resolve()
    this.#ended ??= databaseClosed()
    await asked.catch(() => undefined)
    await this.#worker.terminate()
  }

  #send(message: PgliteMessage): void {
    this.#worker.postMessage(message)
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
