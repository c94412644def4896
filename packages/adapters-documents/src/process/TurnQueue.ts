import { Turns } from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import { Deferred, Effect, Exit } from "effect"

interface Waiting {
  readonly userId: UserId
  readonly ready: Deferred.Deferred<void>
}

/** Lets so many work at a time; the others wait, and are served in turns by person. */
export class TurnQueue {
  readonly #places: number
  readonly #turns: Turns
  /** In the order they came. */
  readonly #waiting = new Set<Waiting>()

  constructor(places: number) {
    this.#places = places
    this.#turns = new Turns(places)
  }

  /** Runs `work` when it is the person's turn. Waiting can be interrupted. */
  withTurn<A, E, R>(userId: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const waiting: Waiting = { userId, ready: Deferred.makeUnsafe() }
        this.#waiting.add(waiting)
        this.#serve()
        const turn = Effect.onExit(restore(Deferred.await(waiting.ready)), (exit) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit) && !this.#waiting.delete(waiting)) this.#end(userId)
          })
        )
        return Effect.andThen(
          turn,
          Effect.ensuring(
            restore(work),
            Effect.sync(() => this.#end(userId))
          )
        )
      })
    )
  }

  #end(userId: UserId): void {
    this.#turns.end(userId)
    this.#serve()
  }

  #serve(): void {
    while (this.#turns.running < this.#places) {
      const next = this.#turns.next(this.#waiting)
      if (next === undefined) return
      this.#waiting.delete(next)
      this.#turns.begin(next.userId)
      Deferred.doneUnsafe(next.ready, Effect.void)
    }
  }
}
