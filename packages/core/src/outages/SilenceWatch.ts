import { type Clock, Deferred, Effect } from "effect"

/** A dependency that leaves requests without an answer for so long counts as down. Milliseconds. */
export const SILENT_MS = 20_000

/** How long after its beginning a probe is waited for. Milliseconds. */
const JOIN_MS = 500

export interface SilenceWatchOptions {
  /** What the log calls the dependency. */
  readonly dependency: string
  readonly clock: Clock.Clock
  /** Asks the dependency for as little as possible, and tells the watch as all other requests do. */
  readonly probe: Effect.Effect<unknown, unknown>
  /** Milliseconds from one probe to the next: what a refused client is asked to wait. */
  readonly probeEveryMs: number
  /** `SILENT_MS` unless given. */
  readonly silentMs?: number | undefined
}

/** A request that waits for its dependency. What comes after the first call does nothing. */
export interface Asked {
  /** The dependency answered, whatever it said. */
  answered(): void
  /** The request waits no longer: it gave up, or was left. */
  leave(): void
}

/**
 * Watches one dependency for silence, and refuses requests to it while it is silent.
 *
 * Only the time counts in which a request waited and nothing was heard of the dependency by anybody. Once that is
 * `silentMs`, the dependency is down until something is heard of it, a refusal or an error included. Requests are then
 * no trials: they are refused, and each has the dependency probed, unless that was just done. Those that come with a probe
 * wait shortly for its answer, so that the first ones after an outage pass. Where no request comes, nothing is probed.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions
  /** Milliseconds of silence before `#since`. */
  #silentMs = 0
  /** Requests without an answer. */
  #waiting = 0
  /** Since when some wait and nothing was heard, in Unix milliseconds. */
  #since = 0
  #probedAt = -Infinity
  #refused = 0
  #answered = Deferred.makeUnsafe<void>()

  constructor(options: SilenceWatchOptions) {
    this.#options = options
  }

  /** A request is sent. */
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

  /** Whether requests are refused. */
  get isDown(): boolean {
    const waited = this.#waiting === 0 ? 0 : this.#now - this.#since
    return this.#silentMs + waited >= (this.#options.silentMs ?? SILENT_MS)
  }

  /** Passes where the dependency is not down; else fails, at most half a second later, unless it answers a probe. */
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
