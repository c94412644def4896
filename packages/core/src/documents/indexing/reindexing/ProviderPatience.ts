import { Clock, Effect } from "effect"
import type { EmbeddingFailed } from "../../embedding/Embedder.ts"

/** The number of requests to the embedding provider for a document during which no further passage is written. */
const TRIES = 5
/** Milliseconds before the second try if the provider does not say; doubled before each further one. */
const FIRST_WAIT_MS = 2_000
/** A provider that asks for a longer wait is not waited for: the run ends, and is continued later. */
const LONGEST_WAIT_MS = 120_000

/**
 * Waits for the embedding provider, for all documents of a run together: if it asks for a wait, every document waits,
 * and once the tries of one document have failed, no other begins.
 */
export class ProviderPatience {
  /** Why no further document is tried. */
  stopped: EmbeddingFailed | undefined
  /** Unix milliseconds. */
  #notBefore = 0

  /** Repeats `attempt` if the provider fails and may work later. `written` returns the progress of the attempt. */
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

  /** An unusable answer may be one document's fault; all other failures concern every document. */
  #giveUp(failure: EmbeddingFailed) {
    return Effect.suspend(() => {
      if (failure.reason !== "bad-answer") this.stopped ??= failure
      return Effect.fail(failure)
    })
  }
}
