import { Worker } from "node:worker_threads"
import { RoundRobin } from "@parley/core/adapter"
import { Effect } from "effect"
import type { JsonShape } from "./JsonShape.ts"

export interface JsonQuestion {
  readonly bytes: Uint8Array
  readonly shape: JsonShape
}

export type JsonAnswer = { readonly ok: true; readonly value: unknown } | { readonly ok: false }

interface Job extends JsonQuestion {
  readonly person: string
  settle(answer: JsonAnswer): void
}

/** The entry beside this module: a source if this module is one, otherwise compiled. */
const entry = new URL(`./jsonWorker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/** A person pauses for this multiple of a text's duration. */
const REST = 2
const LONGEST_REST_MS = 1_000

/** Far more than the largest body needs. */
const resourceLimits = { maxOldGenerationSizeMb: 512 }

/**
 * Parses large JSON in a separate thread, one text at a time; people are served in turn and pause after their text in
 * proportion to its duration. The thread starts with the first text, and has a lower priority than responses if
 * possible (`jsonWorker.ts`). Its result is pruned, so that the transfer is cheap.
 */
export class JsonThread {
  readonly #waiting = new RoundRobin<Job>()
  readonly #resting = new Set<string>()
  #worker: Worker | undefined
  #current: Job | undefined
  #began = 0

  /** Takes a text as UTF-8; returns its value in the given shape, or that it is not JSON. */
  parse(person: string, question: JsonQuestion): Effect.Effect<JsonAnswer> {
    return Effect.callback<JsonAnswer>((resume) => {
      const job: Job = { ...question, person, settle: (answer) => resume(Effect.succeed(answer)) }
      this.#waiting.add(person, job)
      this.#goOn()
      return Effect.sync(() => void this.#waiting.remove(person, job))
    })
  }

  #goOn(): void {
    if (this.#current !== undefined) return
    const job = this.#waiting.next((person) => !this.#resting.has(person))
    if (job === undefined) return this.#worker?.unref()
    this.#current = job
    this.#began = performance.now()
    const worker = (this.#worker ??= this.#start())
    worker.ref()
    // A copy that can be transferred: the received buffer may share its memory.
    const bytes = new Uint8Array(job.bytes)
    worker.postMessage({ bytes, shape: job.shape } satisfies JsonQuestion, [bytes.buffer])
  }

  #start(): Worker {
    const worker = new Worker(entry, { name: "parley-json", resourceLimits })
    worker.on("message", (answer: JsonAnswer) => this.#settle(answer))
    // A text that ends the thread is answered as one that cannot be parsed; the next one starts another.
    worker.on("error", () => undefined)
    worker.on("exit", () => {
      this.#worker = undefined
      this.#settle({ ok: false })
    })
    return worker
  }

  #settle(answer: JsonAnswer): void {
    const job = this.#current
    this.#current = undefined
    if (job !== undefined) this.#rest(job.person)
    job?.settle(answer)
    this.#goOn()
  }

  #rest(person: string): void {
    this.#resting.add(person)
    const rested = () => {
      this.#resting.delete(person)
      this.#goOn()
    }
    setTimeout(rested, Math.min(LONGEST_REST_MS, REST * (performance.now() - this.#began)))
  }
}
