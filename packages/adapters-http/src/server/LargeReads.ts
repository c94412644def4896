import { RoundRobin } from "@parley/core"
import { Effect, type Scope } from "effect"

/** Lets few large reads go on at a time, people taking turns: each keeps database and event loop busy for milliseconds. */
export interface LargeReads {
  /** Waits for a place and keeps it until the scope closes. */
  enter(person: string): Effect.Effect<void, never, Scope.Scope>
}

/** `places` reads go on at a time, of which one person has `perPerson`. */
export const makeLargeReads = (places: number, perPerson: number): LargeReads => {
  const waiting = new RoundRobin<() => void>()
  const reading = new Map<string, number>()
  let running = 0
  const mayRead = (person: string) => running < places && (reading.get(person) ?? 0) < perPerson
  const take = (person: string) => {
    running += 1
    reading.set(person, (reading.get(person) ?? 0) + 1)
  }
  const leave = (person: string) => {
    running -= 1
    const left = (reading.get(person) ?? 1) - 1
    if (left === 0) reading.delete(person)
    else reading.set(person, left)
    waiting.next(mayRead)?.()
  }
  const wait = (person: string) =>
    Effect.callback<void>((resume) => {
      const begin = () => {
        take(person)
        resume(Effect.void)
      }
      if (mayRead(person)) begin()
      else waiting.add(person, begin)
    })
  // Waiting is not interrupted, so that a place that was given is always given back. Reads are short.
  return {
    enter: (person) =>
      Effect.asVoid(
        Effect.acquireRelease(wait(person), () =>
          Effect.andThen(
            rest,
            Effect.sync(() => leave(person))
          )
        )
      )
  }
}

/** Between two reads the event loop goes round, so that whoever has little to do is served. */
const rest = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow, { discard: true })
