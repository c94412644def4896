import { Clock, Context, Deferred, Effect, Exit, Scope } from "effect"

export interface FairQueueOptions {
  /** The number of places: the number of people whose work runs at the same time. */
  readonly places: number
  /** The maximum number of places of one person, including places after which the person still rests. */
  readonly perPerson: number
  /** The rest of a person after their work: a multiple of its duration. Other people do not wait for it. */
  readonly rest?: { readonly times: number; readonly longestMs: number } | undefined
  /**
   * The number of rounds of the event loop before a place is passed on, so that short work of other people is not
   * delayed.
   */
  readonly rounds?: number | undefined
}

type Ready = Deferred.Deferred<void>

/**
 * Shares a number of places fairly: waiting people are served in turns, and the work of one person in the order of
 * arrival, so that a person with much work does not delay a person with little. No work is refused.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  /** The waiting work by person, in the order in which people are served. */
  readonly #waiting = new Map<string, Array<Ready>>()
  readonly #held = new Map<string, number>()
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Waits for a place; the place is released when the scope closes. */
  enter(person: string): Effect.Effect<void, never, Scope.Scope> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.scope, (scope) =>
        this.#placeFor(person, restore).pipe(
          Effect.andThen(Clock.currentTimeNanos),
          Effect.flatMap((began) => Scope.addFinalizer(scope, this.#leave(person, began)))
        )
      )
    )
  }

  /** Runs `work` in a place. */
  run<A, E, R>(person: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope>> {
    return Effect.scoped(Effect.andThen(this.enter(person), work))
  }

  #placeFor(person: string, restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#isFreeFor(person)) return Effect.sync(() => this.#take(person))
      const ready: Ready = Deferred.makeUnsafe()
      const own = this.#waiting.get(person)
      if (own === undefined) this.#waiting.set(person, [ready])
      else own.push(ready)
      // The work may have received its place at the moment of its interruption.
      return Effect.onExit(restore(Deferred.await(ready)), (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit) || this.#remove(person, ready)) return
          this.#running -= 1
          this.#giveBack(person)
        })
      )
    })
  }

  #isFreeFor(person: string): boolean {
    const { perPerson, places } = this.#options
    return this.#running < places && (this.#held.get(person) ?? 0) < perPerson
  }

  #take(person: string): void {
    this.#running += 1
    this.#held.set(person, (this.#held.get(person) ?? 0) + 1)
  }

  #remove(person: string, ready: Ready): boolean {
    const own = this.#waiting.get(person) ?? []
    const at = own.indexOf(ready)
    if (at < 0) return false
    own.splice(at, 1)
    if (own.length === 0) this.#waiting.delete(person)
    return true
  }

  /** Moves a person behind all other waiting people. */
  #putLast(person: string): void {
    const own = this.#waiting.get(person) ?? []
    this.#waiting.delete(person)
    if (own.length > 0) this.#waiting.set(person, own)
  }

  /** Assigns free places to waiting people. */
  #serve(): void {
    for (;;) {
      const next = this.#waiting.entries().find(([person]) => this.#isFreeFor(person))
      if (next === undefined) return
      const [person, own] = next
      const ready = own.shift()
      this.#putLast(person)
      this.#take(person)
      if (ready !== undefined) Deferred.doneUnsafe(ready, Effect.void)
    }
  }

  /** Ends a person's rest, so that the person may use the place again. */
  #giveBack(person: string): void {
    const held = (this.#held.get(person) ?? 1) - 1
    if (held > 0) this.#held.set(person, held)
    else this.#held.delete(person)
    this.#serve()
  }

  /** Passes the place on at once, and ends the person's rest later. */
  #leave(person: string, began: bigint): Effect.Effect<void> {
    const { rest, rounds = 0 } = this.#options
    const passOn = (now: bigint) =>
      Effect.suspend(() => {
        this.#running -= 1
        this.#putLast(person)
        const tookMs = Number(now - began) / 1e6
        const restMs = rest === undefined ? 0 : Math.min(rest.longestMs, Math.ceil(rest.times * tookMs))
        if (restMs <= 0) return Effect.sync(() => this.#giveBack(person))
        this.#serve()
        const giveBack = Effect.sync(() => this.#giveBack(person))
        return Effect.forkDetach(Effect.andThen(Effect.sleep(restMs), giveBack))
      })
    const goRound = Effect.forEach(Array.from({ length: rounds }), () => Effect.yieldNow, { discard: true })
    return Effect.flatMap(Clock.currentTimeNanos, (now) => Effect.andThen(goRound, passOn(now)))
  }
}

/**
 * The queue for work that keeps the event loop of this process busy, in slices of about a millisecond: one slice runs
 * at a time, and its person then rests for twice its duration. A process should have only one such queue.
 */
export class FairSlices extends Context.Reference<FairQueue>("@parley/core/fairness/FairSlices", {
  defaultValue: () => new FairQueue({ places: 1, perPerson: 1, rest: { times: 2, longestMs: 50 }, rounds: 4 })
}) {}
