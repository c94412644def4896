import { Clock, Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { type Counted, RateLimiter } from "../limits/RateLimiter.ts"
import { TooManyAbandonedTries } from "./errors.ts"

/** Whose tries, and how many a minute their tier allows. */
export interface TryLimit {
  readonly userId: UserId
  readonly perMinute: number
}

interface Window {
  count: number
  /** Unix milliseconds. */
  endsAt: number
}

const WINDOW_MS = 60_000
/** Beyond so many people, those whose minute is over are forgotten. */
const MANY = 10_000

/**
 * Bounds what a person may leave before its first word: such a reply costs its reader nothing, but the operator a
 * prompt. What this process has counted refuses at once; the count of all processes is asked when a try was abandoned,
 * and only then, so that ordinary replies cost no statement.
 */
export class AbandonedTries extends Context.Service<
  AbandonedTries,
  {
    /** Fails where the person has left as many replies within a minute as the tier allows. */
    check(limit: TryLimit): Effect.Effect<void, TooManyAbandonedTries>
    /** Counts a reply that was left before its first word. Never fails: what cannot be counted for all is counted here. */
    note(userId: UserId): Effect.Effect<void>
  }
>()("@parley/core/chat/AbandonedTries") {
  static readonly layer = Layer.effect(
    AbandonedTries,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const windows = new Map<UserId, Window>()

      const windowOf = (userId: UserId, now: number): Window => {
        const known = windows.get(userId)
        if (known !== undefined && known.endsAt > now) return known
        if (windows.size >= MANY) for (const [id, { endsAt }] of windows) if (endsAt <= now) windows.delete(id)
        const window = { count: 0, endsAt: now + WINDOW_MS }
        windows.set(userId, window)
        return window
      }
      const share = (window: Window, { count, remainingMs }: Counted, now: number) => {
        window.count = Math.max(window.count, count)
        window.endsAt = now + remainingMs
      }

      return AbandonedTries.of({
        check: Effect.fnUntraced(function* ({ userId, perMinute }) {
          const window = windows.get(userId)
          if (window === undefined || window.count < perMinute) return
          const retryAfterMs = window.endsAt - (yield* Clock.currentTimeMillis)
          if (retryAfterMs > 0) return yield* new TooManyAbandonedTries({ perMinute, retryAfterMs })
        }),
        note: Effect.fnUntraced(function* (userId) {
          const window = windowOf(userId, yield* Clock.currentTimeMillis)
          window.count += 1
          const counting = limiter.count({ subject: userId, name: "abandoned", windowMs: WINDOW_MS })
          yield* Effect.matchEffect(counting, {
            onSuccess: (counted) => Effect.map(Clock.currentTimeMillis, (now) => share(window, counted, now)),
            onFailure: () => Effect.logWarning("An abandoned reply could be counted on this server only.")
          })
        })
      })
    })
  )
}
