import { Clock, Context, Effect } from "effect"
import { RoundRobin } from "./RoundRobin.ts"

/** How many times the event loop goes round between two turns, so that people with little to do are not held up by them. */
const ROUNDS = 4
/** A person rests for so many times what the slice took, so that one with much to do leaves most of the processor to others. */
const REST = 2
const LONGEST_REST_MS = 50

/** Gives turns to slices of work. */
export interface TurnTaking {
  /** Runs a slice of work when it is this person's turn. */
  take<A>(person: string, slice: () => A): Effect.Effect<A>
}

/** There is one event loop a process, and so there should be one of these. */
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
    // Waiting is not interrupted, so that a turn that was given is always passed on. It lasts a slice of each other
    // person, and the rests of one's own.
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
 * Turns for work that keeps the event loop busy: cut into slices of about a millisecond, of which one runs at a time,
 * with a rest after each: of the event loop, and a longer one of whose slice it was. People who wait take turns, so that
 * one with much to do does not hold up one with little. Nobody is refused.
 */
export class FairTurns extends Context.Reference<TurnTaking>("@parley/core/fairness/FairTurns", {
  defaultValue: makeFairTurns
}) {}
