import { Clock, Effect, type Scope } from "effect"
import type { ReplyFeed } from "./replyFeed.ts"

/** Time limits of a vendor, in milliseconds. */
export interface ReplyLimits {
  /** The longest wait for the first item of any kind. */
  readonly firstByteMs: number
  /** The longest wait for the next item. */
  readonly idleMs: number
  /** From the opening to the end. */
  readonly totalMs: number
  /** After the end mark, the wait for figures of usage that some vendors send behind it. */
  readonly afterEndMs: number
}

export const defaultReplyLimits: ReplyLimits = {
  firstByteMs: 20_000,
  idleMs: 60_000,
  totalMs: 600_000,
  afterEndMs: 2_000
}

/** True while the reader waits for the vendor. */
export interface Patience {
  waits(): void
  goesOn(): void
}

/**
 * Ends a reply whose vendor takes too long. Silence counts only while the reader waits. One timer runs for the whole
 * reply, until the scope closes or until `latest` (Unix milliseconds): a timer for every wait would cost more than the
 * waits themselves.
 */
export const startPatience = Effect.fnUntraced(function* (
  feed: ReplyFeed,
  limits: ReplyLimits,
  latest = Infinity
): Effect.fn.Return<Patience, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const now = () => clock.currentTimeMillisUnsafe()
  const deadline = Math.min(latest, now() + limits.totalMs)
  /** Since when the reader waits. */
  let since: number | undefined

  const watch = Effect.gen(function* () {
    for (;;) {
      const heardAt = feed.heardAt()
      const silentSince = since === undefined ? now() : Math.max(since, heardAt ?? 0)
      const mostMs = heardAt === undefined ? limits.firstByteMs : limits.idleMs
      const left = Math.min(deadline, silentSince + mostMs) - now()
      if (left <= 0) return feed.giveUp()
      yield* Effect.sleep(left)
    }
  })
  yield* Effect.forkIn(watch, scope)

  const giveUpSoon = Effect.andThen(Effect.sleep(limits.afterEndMs), Effect.sync(feed.giveUp))
  feed.onEndMark(() => Effect.runForkWith(context)(Effect.forkIn(giveUpSoon, scope)))

  return {
    waits: () => {
      since = now()
    },
    goesOn: () => {
      since = undefined
    }
  }
})
