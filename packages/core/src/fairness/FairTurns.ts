import { Clock, Context, Effect } from "effect"
import { RoundRobin } from "./RoundRobin.ts"

/** Rounds of the event loop between two slices, so that short work of other people is not delayed. */
const ROUNDS = 4
/** A person pauses for this many times the duration of their slice, which leaves most of the processor to others. */
const REST = 2
const LONGEST_REST_MS = 50

/** Schedules slices of work fairly. */
export interface TurnTaking {
  /** Runs a slice of work when it is this person's turn. */
  take<A>(person: string, slice: () => A): Effect.Effect<A>
}

/** A process has one event loop, so it should have one of these. */
export const makeFairTurns = (): TurnTaking => {
  const waiting = new RoundRobin<() => void>()
  const resting = new Set<string>()
  let taken = false
  const wait = (person: string) =>
    Effect.callback<void>((resume) => {
      if (taken || resting.has(person)) return waiting.add(person, () => resume(Effect.void))
      taken = true
      resume(Effect.void)
    })
  const goRound = Effect.forEach(Array.from({ length: ROUNDS }), () => Effect.yieldNow, { discard: true })
  const giveTurn = () => {
    const next = waiting.next((person) => !resting.has(person))
    taken = next !== undefined
    next?.()
  }
  const rest = Effect.fnUntraced(function* (person: string, began: bigint) {
    const took = Number((yield* Clock.currentTimeNanos) - began) / 1e6
    resting.add(person)
    yield* goRound
    giveTurn()
    if (took > 0) yield* Effect.sleep(Math.min(LONGEST_REST_MS, Math.ceil(REST * took)))
    resting.delete(person)
    if (!taken) giveTurn()
  })
  return {
    // Waiting is not interrupted, so that a granted slice is always passed on. The wait lasts one slice of each other
    // person, and the person's own pauses.
    take: (person, slice) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          yield* wait(person)
          const began = yield* Clock.currentTimeNanos
          return yield* Effect.ensuring(Effect.sync(slice), rest(person, began))
        })
      )
  }
}

/**
 * Schedules work that keeps the event loop busy, cut into slices of about a millisecond: one slice runs at a time,
 * with a pause of the event loop after it, and a longer pause of the person whose slice it was. Waiting people are
 * served round robin, so that a person with much work does not delay one with little. No work is refused.
 */
export class FairTurns extends Context.Reference<TurnTaking>("@parley/core/fairness/FairTurns", {
  defaultValue: makeFairTurns
}) {}
