import { Context, Effect } from "effect"
import { RoundRobin } from "./RoundRobin.ts"

/** How many times the event loop goes round between two turns, so that whoever has little to do is not held up by them. */
const REST = 4

/** Gives turns to slices of work. */
export interface TurnTaking {
  /** Runs a slice of work when it is this person's turn. */
  take<A>(person: string, slice: () => A): Effect.Effect<A>
}

/** There is one event loop a process, and so there should be one of these. */
export const makeFairTurns = (): TurnTaking => {
  const waiting = new RoundRobin<() => void>()
  let taken = false
  const wait = (person: string) =>
    Effect.callback<void>((resume) => {
      if (taken) return waiting.add(person, () => resume(Effect.void))
      taken = true
      resume(Effect.void)
    })
  const rest = Effect.forEach(Array.from({ length: REST }), () => Effect.yieldNow, { discard: true })
  const pass = Effect.sync(() => {
    const next = waiting.next()
    if (next === undefined) taken = false
    else next()
  })
  return {
    // Waiting is not interrupted, so that a turn that was given is always passed on. It lasts a slice of each other person.
    take: (person, slice) =>
      Effect.uninterruptible(
        Effect.andThen(wait(person), Effect.ensuring(Effect.sync(slice), Effect.andThen(rest, pass)))
      )
  }
}

/**
 * Turns for work that keeps the event loop busy: cut into slices of about a millisecond, of which one runs at a time,
 * with a rest after each. People who wait take turns, so that one with much to do does not hold up one with little.
 * Nobody is refused.
 */
export class FairTurns extends Context.Reference<TurnTaking>("@parley/core/fairness/FairTurns", {
  defaultValue: makeFairTurns
}) {}
