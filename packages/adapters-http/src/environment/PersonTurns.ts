import { RoundRobin } from "@parley/core/adapter"
import { Clock, Effect, type Scope } from "effect"

/** Work that keeps the database busy: reading long chats, and writing files. */
export type LargeWork = "read" | "write"

/** Lets little of a kind of work go on at a time, people taking turns: each keeps database and event loop busy for milliseconds. */
export interface PersonTurns {
  /** Waits for a place and keeps it until the scope closes, and for as long again: the person rests. */
  enter(person: string): Effect.Effect<void, never, Scope.Scope>
}

const LONGEST_REST_MS = 500

/** `places` of them are at work at a time, of which one person has `perPerson`, rests included. */
export const makePersonTurns = (places: number, perPerson: number): PersonTurns => {
  const waiting = new RoundRobin<() => void>()
  const own = new Map<string, number>()
  let running = 0
  const mayBegin = (person: string) => running < places && (own.get(person) ?? 0) < perPerson
  const take = (person: string) => {
    running += 1
    own.set(person, (own.get(person) ?? 0) + 1)
  }
  const giveTurn = () => waiting.next(mayBegin)?.()
  const leave = (person: string) => {
    const left = (own.get(person) ?? 1) - 1
    if (left === 0) own.delete(person)
    else own.set(person, left)
    giveTurn()
  }
  const wait = (person: string) =>
    Effect.callback<number>((resume) => {
      const begin = () => {
        take(person)
        resume(Clock.currentTimeMillis)
      }
      if (mayBegin(person)) begin()
      else waiting.add(person, begin)
    })
  /** The place is free for other people at once, and for the same person after the rest, for which no other waits. */
  const rest = Effect.fnUntraced(function* (person: string, began: number) {
    running -= 1
    giveTurn()
    const took = (yield* Clock.currentTimeMillis) - began
    const sleep = Effect.sleep(Math.min(LONGEST_REST_MS, Math.max(1, took)))
    yield* Effect.forkDetach(
      Effect.andThen(
        sleep,
        Effect.sync(() => leave(person))
      )
    )
  })
  // Waiting is not interrupted, so that a granted place is always returned.
  return {
    enter: (person) => Effect.asVoid(Effect.acquireRelease(wait(person), (began) => rest(person, began)))
  }
}
