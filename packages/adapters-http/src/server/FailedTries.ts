import { addressBucket } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import { TooManyFailures } from "../problems/errors.ts"

const WINDOW_MS = 60_000
/**
 * Failed tries of one kind and address that are answered as such in a window: more than the stale cookies of an office
 * behind one address, whose browsers need the 401 to lead people to the sign-in.
 */
const PER_WINDOW = 1_000
/** Windows that a server remembers. */
const MOST_WINDOWS = 10_000
/** The common window of addresses for which no place is free. */
const OTHERS = "others"

/** The kinds of credentials; the tries of each are counted separately. */
export type CredentialKind = "session" | "key" | "cron"

interface Window {
  count: number
  /** Unix milliseconds. */
  readonly endsAt: number
}

/**
 * Counts tries of wrong credentials by the client's address. A server judges the credential first, so a valid one is
 * never refused because others fail behind the same address. The counts are in the memory of this process: a store
 * would turn a flood of guesses into writes.
 */
export class FailedTries {
  readonly #windows = new Map<string, Window>()

  /** Counts a failed try; fails with its refusal, or with `TooManyFailures` if there were too many. */
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

  /** The remembered windows. */
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

/** A window also ends if the clock is set back. */
const isOpen = ({ endsAt }: Window, now: number): boolean => now < endsAt && endsAt - now <= WINDOW_MS
