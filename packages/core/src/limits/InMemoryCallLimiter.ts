import { Clock, Effect, Layer } from "effect"
import { type Admission, type AdmitInput, type CallLimit, CallLimiter, type KeepInput } from "./CallLimiter.ts"

interface Calls {
  count: number
  /** Unix milliseconds. */
  endsAt: number
  /** For each open call, the time in Unix milliseconds at which it counts as ended. */
  readonly open: Map<string, number>
}

/** Milliseconds for which expired leases are kept, because their process may only have been suspended. */
const FORGET_AFTER_MS = 60_000

const keyOf = ({ name, subject }: CallLimit): string => JSON.stringify([subject, name])

const openAt = ({ open }: Calls, now: number): number => [...open.values()].filter((endsAt) => endsAt > now).length

const make = Effect.sync(() => {
  const known = new Map<string, Calls>()

  const end = (ended: ReadonlyArray<string>): void => {
    for (const { open } of known.values()) for (const lease of ended) open.delete(lease)
  }
  const reachedBy = (
    limit: CallLimit,
    now: number
  ): Omit<Extract<Admission, { _tag: "Refused" }>, "place"> | undefined => {
    const calls = known.get(keyOf(limit))
    if (calls === undefined) return undefined
    const remainingMs = Math.max(0, calls.endsAt - now)
    if (remainingMs > 0 && calls.count >= limit.calls) return { _tag: "Refused", reached: "calls", remainingMs }
    if (limit.atOnce === undefined || openAt(calls, now) < limit.atOnce) return undefined
    return { _tag: "Refused", reached: "atOnce", remainingMs }
  }
  const admit = ({ ended, lease, leaseMs, limits, windowMs }: AdmitInput, now: number): Admission => {
    end(ended)
    for (const [place, limit] of limits.entries()) {
      const refusal = reachedBy(limit, now)
      if (refusal !== undefined) return { ...refusal, place }
    }
    for (const limit of limits) {
      const before = known.get(keyOf(limit))
      const runs = before !== undefined && before.endsAt > now
      const open = before?.open ?? new Map<string, number>()
      if (limit.atOnce !== undefined) open.set(lease, now + leaseMs)
      const endsAt = runs ? before.endsAt : now + windowMs
      known.set(keyOf(limit), { count: runs ? before.count + 1 : 1, endsAt, open })
    }
    return { _tag: "Admitted" }
  }
  const keep = ({ ended, leaseMs, leases }: KeepInput, now: number): void => {
    end(ended)
    for (const { open } of known.values()) {
      for (const lease of leases) if (open.has(lease)) open.set(lease, now + leaseMs)
    }
  }
  const sweep = (limit: number, now: number): number => {
    let windows = 0
    let leases = 0
    for (const [key, { endsAt, open }] of known) {
      for (const [lease, leaseEndsAt] of open) {
        if (leases >= limit || leaseEndsAt > now - FORGET_AFTER_MS) continue
        open.delete(lease)
        leases += 1
      }
      if (windows >= limit || open.size > 0 || endsAt > now - FORGET_AFTER_MS) continue
      known.delete(key)
      windows += 1
    }
    return windows + leases
  }
  const atNow = <A>(work: (now: number) => A) => Effect.map(Clock.currentTimeMillis, work)
  return CallLimiter.of({
    admit: (input) => atNow((now) => admit(input, now)),
    keep: (input) => atNow((now) => keep(input, now)),
    sweep: ({ limit }) => atNow((now) => sweep(limit, now))
  })
})

/** Limits calls in the memory of one process: only correct if there is one process. */
export const InMemoryCallLimiter = { layer: Layer.effect(CallLimiter, make) }
