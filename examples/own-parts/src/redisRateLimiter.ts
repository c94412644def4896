import { RateLimiter, StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import type { RedisClientType } from "redis"

const asked = <A>(operation: string, ask: () => Promise<A>) =>
  Effect.tryPromise({
    try: ask,
    catch: (cause) => new StorageFailed({ operation: `RateLimiter.${operation}`, retryable: true, cause })
  })

/** Counts events in Redis 7 or newer: a key for each window, which Redis removes at its end. */
export const redisRateLimiter = (redis: RedisClientType): RateLimiter["Service"] => {
  const keyOf = ({ name, subject }: { readonly name: string; readonly subject: string }) =>
    `parley:${encodeURIComponent(subject)}:${encodeURIComponent(name)}`
  return RateLimiter.of({
    count: ({ windowMs, ...event }) =>
      asked("count", async () => {
        const key = keyOf(event)
        // One transaction: no window is without an end, and the answer is of one moment.
        const [count, , remaining] = await redis.multi().incr(key).pExpire(key, windowMs, "NX").pTTL(key).exec()
        return { count: Number(count), remainingMs: Math.max(0, Number(remaining)) }
      }),
    peek: (events) =>
      asked("peek", async () => {
        const asking = events.map(keyOf).reduce((multi, key) => multi.get(key).pTTL(key), redis.multi())
        const answers = await asking.exec()
        return events.map((_, place) => {
          const [count, remaining] = answers.slice(2 * place, 2 * place + 2)
          return { count: Number(count ?? 0), remainingMs: Math.max(0, Number(remaining)) }
        })
      })
  })
}
