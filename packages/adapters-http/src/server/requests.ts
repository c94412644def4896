import { Effect, Scope } from "effect"
import { TooManyRequests } from "../problems/errors.ts"

/** Counts the running requests, so that a server can stop after the last one has ended. */
export class RequestTracker {
  readonly #running = new Set<Promise<void>>()
  #isStopping = false

  /** True once the server is about to stop: it still serves requests, but proxies should choose another server. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  announceStop(): void {
    this.#isStopping = true
  }

  /** The number of running requests. */
  get size(): number {
    return this.#running.size
  }

  /** Counts a request until its work has ended. */
  track(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves once no request is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }
}

/** Bounds the concurrent requests of one person. */
export interface PersonRequests {
  /** Counts a request until the scope closes; fails if the person has too many. */
  readonly enter: (person: string) => Effect.Effect<void, TooManyRequests, Scope.Scope>
}

export const makePersonRequests = (limit: number): PersonRequests => {
  const underWay = new Map<string, number>()
  return {
    enter: Effect.fnUntraced(function* (person) {
      const before = underWay.get(person) ?? 0
      if (before >= limit) return yield* new TooManyRequests({ limit })
      underWay.set(person, before + 1)
      const leave = Effect.sync(() => {
        const left = (underWay.get(person) ?? 1) - 1
        if (left === 0) underWay.delete(person)
        else underWay.set(person, left)
      })
      yield* Scope.addFinalizer(yield* Effect.scope, leave)
    }, Effect.uninterruptible)
  }
}
