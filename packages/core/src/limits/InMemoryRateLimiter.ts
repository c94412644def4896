import { Clock, Effect, Layer } from "effect"
import { type Counted, type CountInput, RateLimiter } from "./RateLimiter.ts"

interface Window {
  count: number
  /** Unix milliseconds. */
  readonly endsAt: number
}

/** Beyond so many windows, those that have ended are forgotten. */
const MANY = 10_000

const make = Effect.sync(() => {
  const windows = new Map<string, Window>()
  const count = ({ subject, name, windowMs }: CountInput, now: number): Counted => {
    const key = JSON.stringify([subject, name])
    let window = windows.get(key)
    if (window === undefined || window.endsAt <= now) {
      if (windows.size >= MANY) for (const [old, { endsAt }] of windows) if (endsAt <= now) windows.delete(old)
      window = { count: 0, endsAt: now + windowMs }
      windows.set(key, window)
    }
    window.count += 1
    return { count: window.count, remainingMs: window.endsAt - now }
  }
  return RateLimiter.of({
    count: (input) => Effect.map(Clock.currentTimeMillis, (now) => count(input, now))
  })
})

/** Counts in the memory of one process: right where there is one. */
export const InMemoryRateLimiter = { layer: Layer.effect(RateLimiter, make) }
