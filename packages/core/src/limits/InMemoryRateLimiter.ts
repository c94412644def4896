import { Clock, Effect, Layer } from "effect"
import { type Counted, type CountInput, type EventName, RateLimiter } from "./RateLimiter.ts"

interface Window {
  count: number
  /** Unix milliseconds. */
  readonly endsAt: number
}

/** The maximum number of windows; at this number, windows that have ended are removed. */
const MANY = 10_000

const make = Effect.sync(() => {
  const windows = new Map<string, Window>()
  const keyOf = ({ subject, name }: EventName) => JSON.stringify([subject, name])
  const count = ({ windowMs, ...event }: CountInput, now: number): Counted => {
    const key = keyOf(event)
    let window = windows.get(key)
    if (window === undefined || window.endsAt <= now) {
      if (windows.size >= MANY) for (const [old, { endsAt }] of windows) if (endsAt <= now) windows.delete(old)
      window = { count: 0, endsAt: now + windowMs }
      windows.set(key, window)
    }
    window.count += 1
    return { count: window.count, remainingMs: window.endsAt - now }
  }
  const peek = (event: EventName, now: number): Counted => {
    const window = windows.get(keyOf(event))
    if (window === undefined || window.endsAt <= now) return { count: 0, remainingMs: 0 }
    return { count: window.count, remainingMs: window.endsAt - now }
  }
  return RateLimiter.of({
    count: (input) => Effect.map(Clock.currentTimeMillis, (now) => count(input, now)),
    peek: (events) => Effect.map(Clock.currentTimeMillis, (now) => events.map((event) => peek(event, now)))
  })
})

/** Counts events in the memory of one process: only correct if there is one process. */
export const InMemoryRateLimiter = { layer: Layer.effect(RateLimiter, make) }
