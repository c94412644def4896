import { Clock, Effect } from "effect"
import type { EmbeddingFailed } from "../../embedding/Embedder.ts"

/** The maximum number of tries at the embedding provider for one document while no further passage of it is written. */
const TRIES = 5
/** Milliseconds before the second try if the provider does not state a time; doubled before each further try. */
const FIRST_WAIT_MS = 2_000
/** If the provider asks for a longer wait in milliseconds, the run ends, and is continued later. */
const LONGEST_WAIT_MS = 120_000

/**
 * Waits for the embedding provider, for all documents of a run together: if the provider asks for a wait, all documents
 * wait. After the tries of one document have failed, no other document is started.
 */
export class ProviderPatience {
  /** The failure because of which no further document is started; undefined while there is none. */
  stopped: EmbeddingFailed | undefined
  /** Unix milliseconds: no request is sent before this time. */
  #notBefore = 0

  /**
   * Repeats `attempt` while the provider fails and a retry may succeed. `written` returns the number of passages
   * written so far.
   */
  bear<A, E, R>(
    attempt: Effect.Effect<A, E | EmbeddingFailed, R>,
    written: () => number
  ): Effect.Effect<A, E | EmbeddingFailed, R> {
    let tries = 0
    let reached = written()
    const again: Effect.Effect<A, E | EmbeddingFailed, R> = Effect.suspend(() => {
      if (this.stopped !== undefined) return Effect.fail(this.stopped)
      return Effect.catchTag(
        Effect.andThen(this.#turn, attempt) as Effect.Effect<A, EmbeddingFailed, R>,
        "EmbeddingFailed",
        (failure) => {
          if (written() > reached) tries = 0
          reached = Math.max(reached, written())
          tries += 1
          const asked = failure.retryAfterMs ?? 0
          if (!failure.retryable || tries >= TRIES || asked > LONGEST_WAIT_MS) return this.#giveUp(failure)
          return Effect.andThen(this.#rest(Math.max(asked, FIRST_WAIT_MS * 2 ** (tries - 1)), failure), again)
        }
      ) as Effect.Effect<A, E | EmbeddingFailed, R>
    })
    return again
  }

  readonly #turn = Effect.suspend(() =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      this.#notBefore > now ? Effect.sleep(this.#notBefore - now) : Effect.void
    )
  )

  #rest(waitMs: number, { reason }: EmbeddingFailed) {
    return Effect.gen({ self: this }, function* () {
      this.#notBefore = Math.max(this.#notBefore, (yield* Clock.currentTimeMillis) + waitMs)
      yield* Effect.annotateLogs(
        Effect.logWarning("The embedding provider could not take passages; they are sent again."),
        { reason, waitMs }
      )
    })
  }

  /** An unusable answer may be caused by one document; all other failures concern every document. */
  #giveUp(failure: EmbeddingFailed) {
    return Effect.suspend(() => {
      if (failure.reason !== "bad-answer") this.stopped ??= failure
      return Effect.fail(failure)
    })
  }
}
