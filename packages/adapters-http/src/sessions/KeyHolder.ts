import { SessionVerifierUnavailable } from "@parley/core/adapter"
import { Clock, Deferred, Effect } from "effect"
import type { KeySetUnavailable } from "./KeySetUnavailable.ts"
import type { ProviderKeys } from "./providerKeys.ts"
import { makeVerifiedTokens, type VerifiedTokens } from "./sessionTokens.ts"

/** Between the end of a fetch and the next one. */
const PAUSE_MS = 5_000
/** Keys of this age are fetched again while they count: a provider may have withdrawn one. */
const RENEW_MS = 5 * 60_000
/** Keys that no request needed for this long are fetched again before they count. */
const IDLE_MS = 10 * 60_000
/** Wait of a request for a provider that was silent at the last fetch. */
const SILENT_PATIENCE_MS = 900
/** The most requests that wait for a pause to end. */
const MOST_WAITING = 1_000

/** A provider's keys as they were fetched. */
export interface HeldKeys {
  readonly keys: ProviderKeys
  /** The tokens that these keys verified. They are forgotten with the keys, so that a withdrawn key verifies nothing. */
  readonly verified: VerifiedTokens
  /** When the fetch began, in Unix milliseconds. */
  readonly askedAt: number
  /** The number of the fetch that returned them. */
  readonly fetch: number
}

/** A token that no held key signed. */
export interface UnknownToken {
  /** The number of fetches that were begun before the token came: a later one decides. */
  readonly fetchesBefore: number
  /**
   * The latest time of its issue, according to the token, in Unix milliseconds. During the pause only a token that is
   * newer than the keys waits: the key of an older one was available at the last fetch.
   */
  readonly issuedAt: number
}

/**
 * Holds the keys of one provider: fetches them when they are needed, at most one fetch at a time and one in five seconds.
 * While the provider does not answer, the keys of its last answer count.
 */
export class KeyHolder {
  readonly #fetching: Effect.Effect<ProviderKeys, KeySetUnavailable>
  #held: HeldKeys | undefined
  /** The failure of the last fetch; undefined if it succeeded. */
  #failure: KeySetUnavailable | undefined
  #pending: Deferred.Deferred<HeldKeys, KeySetUnavailable> | undefined
  #endedAt = -Infinity
  #pausedUntil = -Infinity
  #waiting = 0
  #fetches = 0

  constructor(fetching: Effect.Effect<ProviderKeys, KeySetUnavailable>) {
    this.#fetching = fetching
  }

  /** The number of begun fetches. */
  get fetches(): number {
    return this.#fetches
  }

  /** True if the provider ever answered. */
  get hasKeys(): boolean {
    return this.#held !== undefined
  }

  /** The current keys; fails if the provider never answered. */
  current(): Effect.Effect<HeldKeys, SessionVerifierUnavailable> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const held = this.#held
      if (held === undefined) {
        const pause = this.#pauseAt(now)
        return pause > 0 ? this.#unavailable(pause) : this.#awaited(0)
      }
      const age = Math.abs(now - this.#endedAt)
      if (age < RENEW_MS) return Effect.succeed(held)
      if (age < IDLE_MS) return Effect.as(this.#begun(0), held)
      return Effect.orElseSucceed(this.#awaited(0), () => held)
    })
  }

  /**
   * Newer keys than `known`, for a token that none of those signed; undefined if none are expected. Fetches at once,
   * or after the pause since the last fetch. Fails if the provider does not answer.
   */
  after(
    known: HeldKeys,
    { fetchesBefore, issuedAt }: UnknownToken
  ): Effect.Effect<HeldKeys | undefined, SessionVerifierUnavailable> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (this.#held !== known) return Effect.succeed(this.#held)
      if (known.fetch > fetchesBefore) return Effect.succeed(undefined)
      const pause = this.#pauseAt(now)
      if (pause === 0) return this.#awaited(0)
      if (this.#failure !== undefined) return this.#unavailable(pause)
      return known.askedAt >= issuedAt ? Effect.succeed(undefined) : this.#awaitedTurn(pause)
    })
  }

  /** The rest of the pause from `now` on, in milliseconds; none if the clock was set back. */
  #pauseAt(now: number): number {
    const left = this.#pausedUntil - now
    return left > 0 && left <= PAUSE_MS ? left : 0
  }

  #unavailable(retryAfterMs: number): Effect.Effect<never, SessionVerifierUnavailable> {
    return Effect.fail(new SessionVerifierUnavailable({ cause: this.#failure, retryAfterMs }))
  }

  #awaited(waitMs: number): Effect.Effect<HeldKeys, SessionVerifierUnavailable> {
    const failure = this.#failure
    const fetched = Effect.flatMap(this.#begun(waitMs), Deferred.await)
    const awaited =
      failure?.problem === "slow"
        ? Effect.timeoutOrElse(fetched, { duration: SILENT_PATIENCE_MS, orElse: () => Effect.fail(failure) })
        : fetched
    return Effect.mapError(awaited, (cause) => new SessionVerifierUnavailable({ cause, retryAfterMs: PAUSE_MS }))
  }

  #awaitedTurn(waitMs: number): Effect.Effect<HeldKeys, SessionVerifierUnavailable> {
    if (this.#waiting >= MOST_WAITING) return this.#unavailable(waitMs)
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#waiting++),
      () => this.#awaited(waitMs),
      () => Effect.sync(() => this.#waiting--)
    )
  }

  /** The running fetch, or one that begins in `waitMs`. It continues if its request is interrupted. */
  #begun(waitMs: number): Effect.Effect<Deferred.Deferred<HeldKeys, KeySetUnavailable>> {
    return Effect.suspend(() => {
      if (this.#pending !== undefined) return Effect.succeed(this.#pending)
      const begun = Deferred.makeUnsafe<HeldKeys, KeySetUnavailable>()
      this.#pending = begun
      const fetched = Effect.delay(this.#fetched(), waitMs)
      return Effect.as(Effect.forkDetach(Deferred.into(fetched, begun)), begun)
    }).pipe(Effect.uninterruptible)
  }

  #fetched(): Effect.Effect<HeldKeys, KeySetUnavailable> {
    return Effect.flatMap(Clock.currentTimeMillis, (askedAt) => {
      const fetch = ++this.#fetches
      return this.#fetching.pipe(
        Effect.map((keys) => ({ keys, askedAt, fetch, verified: this.#verifiedBy(keys) })),
        Effect.tap((held) => this.#ended(held)),
        Effect.tapError((failure) => this.#ended(failure)),
        Effect.ensuring(Effect.sync(() => (this.#pending = undefined)))
      )
    })
  }

  /** Tokens that the same keys have verified stay verified. */
  #verifiedBy({ text }: ProviderKeys): VerifiedTokens {
    return this.#held?.keys.text === text ? this.#held.verified : makeVerifiedTokens()
  }

  #ended(outcome: HeldKeys | KeySetUnavailable): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const isFirst = this.#held === undefined
      this.#endedAt = now
      this.#pausedUntil = now + PAUSE_MS
      if (outcome instanceof Error) {
        this.#failure = outcome
        return logFailure(outcome, !isFirst)
      }
      // The first answer is no reason to let the first unknown key wait.
      if (isFirst) this.#pausedUntil = -Infinity
      this.#failure = undefined
      this.#held = outcome
      return Effect.void
    })
  }
}

const logFailure = ({ detail, problem }: KeySetUnavailable, kept: boolean): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("The identity provider's keys cannot be fetched."), {
    problem,
    ...(detail === undefined ? {} : { detail }),
    keysKept: kept
  })
