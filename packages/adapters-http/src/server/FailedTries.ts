import { addressBucket } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import { TooManyFailures } from "../problems/errors.ts"

const WINDOW_MS = 60_000
/**
 * Largest number of failed tries with one kind of credential from one address that get their usual refusal in a window;
 * further ones get 429. It is more than the stale cookies of an office behind one address, whose browsers need the 401
 * to lead people to the sign-in.
 */
const PER_WINDOW = 1_000
/** The largest number of windows that a server remembers. */
const MOST_WINDOWS = 10_000
/** The name of the window that further addresses share once `MOST_WINDOWS` is reached. */
const OTHERS = "others"

/** The kinds of credentials. Failed tries of each kind are counted separately. */
export type CredentialKind = "session" | "key" | "cron"

interface Window {
  count: number
  /** The end of the window in Unix milliseconds. */
  readonly endsAt: number
}

/**
 * Counts wrong credentials by the client's address. The server checks the credential first, so a valid one is never
 * refused because other clients fail at the same address. The counts are in the memory of this process, because a
 * database would have to write for each of a flood of guesses.
 */
export class FailedTries {
  readonly #windows = new Map<string, Window>()

  /** Counts a failed try. Fails with `refusal`, or with `TooManyFailures` if there were too many tries. */
  refuse<E>(
    kind: CredentialKind,
    { peer }: { readonly peer: string },
    refusal: E
  ): Effect.Effect<never, E | TooManyFailures> {
    return Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<never, E | TooManyFailures> => {
      const window = this.#windowOf(`${kind} ${addressBucket(peer)}`, `${kind} ${OTHERS}`, now)
      window.count += 1
      return window.count > PER_WINDOW
        ? Effect.fail(new TooManyFailures({ limit: PER_WINDOW, retryAfterMs: Math.max(1, window.endsAt - now) }))
        : Effect.fail(refusal)
    })
  }

  /** The number of remembered windows. */
  get size(): number {
    return this.#windows.size
  }

  #windowOf(key: string, others: string, now: number): Window {
    const known = this.#windows.get(key)
    if (known !== undefined && isOpen(known, now)) return known
    if (known === undefined && this.#windows.size >= MOST_WINDOWS) {
      for (const [name, window] of this.#windows) if (!isOpen(window, now)) this.#windows.delete(name)
      if (this.#windows.size >= MOST_WINDOWS && key !== others) return this.#windowOf(others, others, now)
    }
    const window = { count: 0, endsAt: now + WINDOW_MS }
    this.#windows.set(key, window)
    return window
  }
}

/** True while a window lasts. A window also ends if the clock is set back. */
const isOpen = ({ endsAt }: Window, now: number): boolean => now < endsAt && endsAt - now <= WINDOW_MS
