import { SessionVerifierUnavailable } from "@parley/core/adapter"
import { Clock, Deferred, Effect } from "effect"
import type { KeySetUnavailable } from "./KeySetUnavailable.ts"
import type { ProviderKeys } from "./providerKeys.ts"
import { makeVerifiedTokens, type VerifiedTokens } from "./sessionTokens.ts"

/** Shortest time between the end of a fetch and the next fetch. */
const PAUSE_MS = 5_000
/**
 * Keys that were fetched this long ago are fetched again in the background, because the provider may have withdrawn
 * one.
 */
const RENEW_MS = 5 * 60_000
/** If the last fetch is this long ago, a request waits for a new fetch before the keys are used. */
const IDLE_MS = 10 * 60_000
/** Longest wait of a request if the provider did not answer at the last fetch. */
const SILENT_PATIENCE_MS = 900
/** The largest number of requests that wait for the end of a pause. */
const MOST_WAITING = 1_000

/** The keys of a provider, and the facts about their fetch. */
export interface HeldKeys {
  readonly keys: ProviderKeys
  /** The tokens that these keys verified. They are dropped with the keys, so that a withdrawn key verifies nothing. */
  readonly verified: VerifiedTokens
  /** The time at which the fetch began, in Unix milliseconds. */
  readonly askedAt: number
  /** The number of the fetch that returned them. */
  readonly fetch: number
}

/** A token that was signed with none of the fetched keys. */
export interface UnknownToken {
  /** The number of fetches that had begun before the token came. The result of a later fetch is final. */
  readonly fetchesBefore: number
  /**
   * The latest time at which the token may have been issued, in Unix milliseconds, according to its claims. During the
   * pause between fetches only a token that is newer than the keys waits: the key of an older token would have been in
   * the last fetch.
   */
  readonly issuedAt: number
}

/**
 * Holds the keys of one provider, and fetches them when they are needed: one fetch at a time, and at most one in five
 * seconds. While the provider does not answer, the keys of its last answer are used.
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

  /** The number of fetches that have begun. */
  get fetches(): number {
    return this.#fetches
  }

  /** True if the provider has answered at least once. */
  get hasKeys(): boolean {
    return this.#held !== undefined
  }

  /** Returns the current keys; fails if the provider has never answered. */
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
   * Returns keys that are newer than `known`, for a token that none of the known keys signed; undefined if no newer
   * keys are expected. Fetches at once, or after the pause since the last fetch. Fails if the provider does not answer.
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

  /** The rest of the pause at the time `now`, in milliseconds; 0 if the clock was set back. */
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

  /**
   * The running fetch, or a new one that begins in `waitMs`. The fetch continues even if the request that began it is
   * interrupted.
   */
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

  /** If the provider's keys have not changed, the tokens that they verified stay verified. */
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
      // After the first answer there is no pause, so that the first unknown key need not wait.
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
