import { type Clock, Deferred, Effect } from "effect"

/** Milliseconds: a dependency that leaves requests without an answer for this time counts as down. */
export const SILENT_MS = 20_000

/** Milliseconds for which requests wait for the answer to a new probe. */
const JOIN_MS = 500

export interface SilenceWatchOptions {
  /** The dependency's name in the log. */
  readonly dependency: string
  readonly clock: Clock.Clock
  /**
   * Sends the smallest possible request to the dependency. Like all requests, it reports its start and its answer to
   * the watch.
   */
  readonly probe: Effect.Effect<unknown, unknown>
  /** Milliseconds between two probes; also the wait that is proposed to a refused client. */
  readonly probeEveryMs: number
  /** Milliseconds of silence after which the dependency counts as down; `SILENT_MS` unless given. */
  readonly silentMs?: number | undefined
}

/** A request that waits for the dependency. Only the first call of a method has an effect. */
export interface Asked {
  /** The dependency responded, with any result. */
  answered(): void
  /** The request no longer waits: it timed out, or its client left. */
  leave(): void
}

/**
 * Watches one dependency for silence, and refuses requests to it while it is silent. The silence is the time in which a
 * request waited and no request received a response. After `silentMs` of it, the dependency counts as down until any
 * response arrives, including a refusal or an error. Meanwhile requests are refused, and each sends a probe, unless one
 * was just sent. Requests that arrive while a probe waits also wait briefly for its response, so that the first
 * requests after an outage succeed. Without requests there are no probes.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions
  /** The milliseconds of silence before `#since`. */
  #silentMs = 0
  /** The number of requests without an answer. */
  #waiting = 0
  /** Unix milliseconds: the time since which requests have been waiting without any answer. */
  #since = 0
  #probedAt = -Infinity
  #refused = 0
  #answered = Deferred.makeUnsafe<void>()

  constructor(options: SilenceWatchOptions) {
    this.#options = options
  }

  /** To be called when a request is sent. */
  ask(): Asked {
    if (this.#waiting === 0) this.#since = this.#now
    this.#waiting += 1
    let isWaiting = true
    const leave = () => {
      if (isWaiting) this.#leave()
      isWaiting = false
    }
    const answered = () => {
      if (isWaiting) this.#hear()
      leave()
    }
    return { answered, leave }
  }

  #hear(): void {
    const wasDown = this.isDown
    this.#silentMs = 0
    this.#since = this.#now
    if (!wasDown) return
    const answered = this.#answered
    this.#answered = Deferred.makeUnsafe()
    Deferred.doneUnsafe(answered, Effect.void)
  }

  #leave(): void {
    this.#waiting -= 1
    if (this.#waiting === 0) this.#silentMs += this.#now - this.#since
  }

  /** True if requests are refused. */
  get isDown(): boolean {
    const waited = this.#waiting === 0 ? 0 : this.#now - this.#since
    return this.#silentMs + waited >= (this.#options.silentMs ?? SILENT_MS)
  }

  /** Succeeds if the dependency is up; otherwise fails within half a second, unless a probe gets a response. */
  admit<E>(refusal: (retryAfterMs: number) => E): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      if (!this.isDown) return this.#refused === 0 ? Effect.void : this.#noteRecovery
      return Effect.andThen(this.#join, () =>
        this.isDown
          ? Effect.andThen(this.#noteRefusal, Effect.fail(refusal(this.#options.probeEveryMs)))
          : this.#noteRecovery
      )
    })
  }

  get #now(): number {
    return this.#options.clock.currentTimeMillisUnsafe()
  }

  get #join(): Effect.Effect<void> {
    const { probe, probeEveryMs } = this.#options
    const answered = Deferred.await(this.#answered)
    const now = this.#now
    const isDue = now - this.#probedAt >= probeEveryMs
    if (isDue) this.#probedAt = now
    const leftMs = this.#probedAt + JOIN_MS - now
    if (leftMs <= 0) return Effect.void
    const probing = isDue ? Effect.forkDetach(Effect.interruptible(Effect.exit(probe))) : Effect.void
    return Effect.andThen(probing, Effect.timeoutOption(answered, leftMs))
  }

  get #noteRefusal(): Effect.Effect<void> {
    this.#refused += 1
    if (this.#refused > 1) return Effect.void
    return this.#log(Effect.logError("A dependency does not answer: requests that need it are refused until it does."))
  }

  get #noteRecovery(): Effect.Effect<void> {
    const refused = this.#refused
    this.#refused = 0
    if (refused === 0) return Effect.void
    return Effect.annotateLogs(this.#log(Effect.logInfo("A dependency answers again.")), { refused })
  }

  #log(line: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.annotateLogs(line, { dependency: this.#options.dependency })
  }
}
