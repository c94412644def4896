import { Clock, Effect, Option, type Scope } from "effect"
import type { ReplyPump } from "./replyPump.ts"

/** How long a vendor may take, in milliseconds. */
export interface ReplyLimits {
  /** Silence: the longest wait for whatever comes next, the first item included. */
  readonly idleMs: number
  /** From the opening to the end. */
  readonly totalMs: number
  /** After the end mark, the wait for figures of usage that some vendors send behind it. */
  readonly afterEndMs: number
}

export const defaultReplyLimits: ReplyLimits = { idleMs: 60_000, totalMs: 600_000, afterEndMs: 2_000 }

/** The wait that is on at the moment. */
interface Wait {
  readonly since: number
  giveUp(): void
}

const news = (pump: ReplyPump): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    pump.onNews(() => resume(Effect.void))
    return Effect.sync(() => pump.onNews(undefined))
  })

const heardInTime = Effect.as(Effect.yieldNow, true)

/**
 * Gives an effect that waits until the pump has something to take: true, or false where a limit is over first. It gives
 * way once after waiting, so that all that is ready is there. One watch runs for the whole reply, until the scope
 * closes, and none goes on beyond `latest` (Unix milliseconds): a timer for every wait would cost more than the waits themselves.
 */
export const startPatience = Effect.fnUntraced(function* (
  pump: ReplyPump,
  limits: ReplyLimits,
  latest = Infinity
): Effect.fn.Return<Effect.Effect<boolean>, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const deadline = Math.min(latest, clock.currentTimeMillisUnsafe() + limits.totalMs)
  let wait: Wait | undefined

  const watch = Effect.gen(function* () {
    for (;;) {
      const now = clock.currentTimeMillisUnsafe()
      const left = Math.min(deadline, (wait?.since ?? now) + limits.idleMs) - now
      if (left > 0) {
        yield* Effect.sleep(left)
        continue
      }
      if (wait === undefined) return
      wait.giveUp()
    }
  })
  yield* Effect.forkScoped(watch)

  const waitWatched = Effect.callback<boolean>((resume) => {
    const end = (outcome: Effect.Effect<boolean>) => {
      wait = undefined
      pump.onNews(undefined)
      resume(outcome)
    }
    wait = { since: clock.currentTimeMillisUnsafe(), giveUp: () => end(Effect.succeed(false)) }
    pump.onNews(() => end(heardInTime))
    return Effect.sync(() => {
      wait = undefined
      pump.onNews(undefined)
    })
  })

  /** Only figures are missing: a wait of its own, as it is short and comes once. */
  const waitForFigures = (left: number) =>
    Effect.flatMap(Effect.timeoutOption(news(pump), Math.min(limits.afterEndMs, left)), (heard) =>
      Option.isSome(heard) ? heardInTime : Effect.succeed(false)
    )

  return Effect.suspend(() => {
    const left = deadline - clock.currentTimeMillisUnsafe()
    if (left <= 0) return Effect.succeed(false)
    if (pump.hasNews()) return Effect.succeed(true)
    return pump.due() === undefined ? waitWatched : waitForFigures(left)
  })
})
