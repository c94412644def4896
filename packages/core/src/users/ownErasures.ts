import { Effect } from "effect"
import { makeOwnErasureLeft, ownErasureMarks } from "../signin/ownErasureMarks.ts"
import type { UserId } from "../identity/UserId.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { ErasureLimited } from "./errors.ts"

/**
 * Milliseconds for which an erasure is remembered. In this time, `Accounts` opens new accounts without an allowance,
 * and a second erasure is refused, because it would not be remembered for longer than the first one. Without the
 * refusal, a person could erase their account on the day of the next allowance (after 28 days in February), sign in two
 * days later, and get another allowance.
 */
const WINDOW_MS = 30 * 86_400_000

/** Limits the erasures that people request themselves. */
export interface ErasureLimit {
  /**
   * Fails if the person was erased a short time ago; to be called at the beginning of the transaction of an erasure.
   */
  refuse(userId: UserId): Effect.Effect<void, ErasureLimited | StorageFailed>
  /** Records an erasure, at the end of its transaction; `email` is the address with which the person signed in. */
  remember(userId: UserId, email: string | undefined): Effect.Effect<void, StorageFailed>
}

export const makeOwnErasures = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const leftOf = yield* makeOwnErasureLeft
  const limit: ErasureLimit = {
    refuse: Effect.fnUntraced(function* (userId) {
      const retryAfterMs = yield* leftOf(userId, true)
      if (retryAfterMs > 0) return yield* new ErasureLimited({ retryAfterMs })
    }),
    remember: Effect.fnUntraced(function* (userId, email) {
      for (const mark of yield* ownErasureMarks(userId, email)) yield* limiter.count({ ...mark, windowMs: WINDOW_MS })
    })
  }
  return limit
})

/** Operators may erase people without a limit. */
export const UNLIMITED: ErasureLimit = { refuse: () => Effect.void, remember: () => Effect.void }
