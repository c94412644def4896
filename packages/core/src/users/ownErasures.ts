import { Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import { mailboxOf } from "../signin/SignInStore.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { ErasureLimited } from "./errors.ts"

/**
 * One erasure in a time that is as long as a month's allowance lasts: an erased person who signs in again gets the first
 * allowance of a new account, so that n erasures in a row give n allowances in n - 1 months, and one more.
 */
const WINDOW_MS = 30 * 86_400_000
const NAME = "own-erasure"

/** The digests under which an erasure is remembered; they do not contain the identity. */
const eventsOf = Effect.fnUntraced(function* (userId: UserId, email: string | undefined) {
  const subjects = [`erased-person:${yield* sha256OfText(userId)}`]
  // Each sign-in by e-mail after an erasure has a new user id.
  if (email !== undefined) subjects.push(`erased-${yield* mailboxOf(email)}`)
  return subjects.map((subject) => ({ subject, name: NAME }))
})

/** Limits the erasures that people request themselves; `email` is the address with which the person signs in, if any. */
export interface ErasureLimit {
  /** Fails if the person was erased a short time ago, at the beginning of the transaction of an erasure. */
  refuse(userId: UserId, email: string | undefined): Effect.Effect<void, ErasureLimited | StorageFailed>
  /** Remembers an erasure, at the end of its transaction. */
  remember(userId: UserId, email: string | undefined): Effect.Effect<void, StorageFailed>
}

export const makeOwnErasures = Effect.map(RateLimiter, (limiter): ErasureLimit => ({
  refuse: Effect.fnUntraced(function* (userId, email) {
    for (const event of yield* eventsOf(userId, email)) {
      const { count, remainingMs: retryAfterMs } = yield* limiter.peek(event)
      if (count > 0) return yield* new ErasureLimited({ retryAfterMs })
    }
  }),
  remember: Effect.fnUntraced(function* (userId, email) {
    for (const event of yield* eventsOf(userId, email)) yield* limiter.count({ ...event, windowMs: WINDOW_MS })
  })
}))

/** Operators erase as often as they are asked to. */
export const UNLIMITED: ErasureLimit = { refuse: () => Effect.void, remember: () => Effect.void }
