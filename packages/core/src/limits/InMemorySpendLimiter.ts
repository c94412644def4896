import { Clock, Effect, Layer } from "effect"
import type { EventName } from "./RateLimiter.ts"
import { type SpendInput, type Spending, type SpendLimit, SpendLimiter, type Spent } from "./SpendLimiter.ts"

const DAY_MS = 86_400_000

interface Day {
  readonly day: number
  spent: number
}

const dayOf = (now: number): number => Math.floor(now / DAY_MS)

const make = Effect.sync(() => {
  const days = new Map<string, Day>()
  const keyOf = ({ name, subject }: EventName, day: number): string => JSON.stringify([day, subject, name])
  const spentOf = (limit: EventName, day: number): number => days.get(keyOf(limit, day))?.spent ?? 0
  const add = (limit: EventName, day: number, amount: number): void => {
    days.set(keyOf(limit, day), { day, spent: Math.max(0, spentOf(limit, day) + amount) })
  }

  const roomOf = (limit: SpendLimit, amount: number, day: number): number => {
    const spent = spentOf(limit, day)
    return limit.sparesFirst === true && spent === 0 ? amount : limit.credits - spent
  }
  const spend = ({ amount, limits, minimumAmount }: SpendInput, now: number): Spending => {
    const day = dayOf(now)
    const rooms = limits.map((limit) => roomOf(limit, amount, day))
    const place = rooms.findIndex((room) => room < minimumAmount)
    if (place >= 0) return { _tag: "Refused", place, remainingMs: (day + 1) * DAY_MS - now }
    const granted = Math.min(amount, ...rooms)
    for (const limit of limits) add(limit, day, granted)
    return { _tag: "Granted", amount: granted, day }
  }
  const giveBack = ({ amount, day, limits }: Spent & { readonly amount: number }): void => {
    for (const limit of limits) if (days.has(keyOf(limit, day))) add(limit, day, -amount)
  }
  const sweep = (limit: number, now: number): number => {
    const over = [...days].filter(([, { day }]) => day < dayOf(now)).slice(0, limit)
    for (const [key] of over) days.delete(key)
    return over.length
  }
  return SpendLimiter.of({
    spend: (input) => Effect.map(Clock.currentTimeMillis, (now) => spend(input, now)),
    giveBack: (input) => Effect.sync(() => giveBack(input)),
    sweep: ({ limit }) => Effect.map(Clock.currentTimeMillis, (now) => sweep(limit, now))
  })
})

/** Limits spending in the memory of one process: only correct if there is one process. */
export const InMemorySpendLimiter = { layer: Layer.effect(SpendLimiter, make) }
