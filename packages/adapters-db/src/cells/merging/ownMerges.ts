import { type AccessSince, COUNTED_DELIVERIES, type DestinationRecord, type WorkState } from "@parley/core/adapter"
import { Effect, Result } from "effect"
import { inPlace } from "../routing/byOwner.ts"
import { tallyOf } from "./mergeResults.ts"
import { answeredOf, answersOf, overAll } from "./overAll.ts"
import type { TimedAccess } from "../../sessions/PgAccessStore.ts"
import type { Call, Method, Routes, Work } from "../routing/Routes.ts"

const least = (numbers: ReadonlyArray<number | undefined>): number | undefined => {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

const most = (numbers: ReadonlyArray<number | undefined>): number | undefined => {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/**
 * Registers in every database. A cell that has not joined yet takes it as well if it can be used: events of its first
 * people come before the next registration.
 */
export const registrations = (routes: Routes, call: Call): Method => {
  const registering = overAll(routes, call, "none")
  return (...args) =>
    Effect.gen(function* () {
      const all = yield* routes.all
      const others = [...routes.cells.values()].filter((place) => !all.includes(place))
      const also = answersOf(others, (place) => call.run(place, args))
      yield* Effect.all([registering(...args), also], { concurrency: "unbounded" })
    })
}

/** Each worker beats in every database; the jobs that wait are in one. */
export const workState =
  ({ all }: Routes, call: Call): Method =>
  (...args) =>
    Effect.gen(function* () {
      const answers = yield* answersOf(yield* all, (place) => call.run(place, args))
      const states = (yield* answeredOf(answers)) as ReadonlyArray<WorkState>
      return {
        alive: Math.max(...states.map(({ alive }) => alive)),
        lastSeenMs: least(states.map(({ lastSeenMs }) => lastSeenMs)),
        due: states.reduce((sum, { due }) => sum + due, 0),
        oldestDueMs: most(states.map(({ oldestDueMs }) => oldestDueMs))
      } satisfies WorkState
    })

const asOne = (a: DestinationRecord, b: DestinationRecord): DestinationRecord => ({
  id: a.id,
  types: [...new Set([...a.types, ...b.types])],
  seenAt: Math.max(a.seenAt, b.seenAt),
  disabledAt: most([a.disabledAt, b.disabledAt]),
  pending: Math.min(COUNTED_DELIVERIES, a.pending + b.pending),
  dead: Math.min(COUNTED_DELIVERIES, a.dead + b.dead),
  oldestMs: most([a.oldestMs, b.oldestMs])
})

/** The destinations of events, each with the deliveries in all databases. */
export const destinations = ({ all }: Routes, call: Call): Work =>
  Effect.gen(function* () {
    const answers = yield* answersOf(yield* all, (place) => call.run(place, []))
    const lists = yield* Effect.forEach(answers, ({ result }) => Effect.fromResult(result))
    const byId = new Map<string, DestinationRecord>()
    for (const each of lists.flat() as ReadonlyArray<DestinationRecord>) {
      const known = byId.get(each.id)
      byId.set(each.id, known === undefined ? each : asOne(known, each))
    }
    return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  })

/** A process that starts is refused for the tiers of the cells that answer: the others must not keep it from starting. */
export const missingTiers =
  ({ all }: Routes, call: Call): Method =>
  (...args) =>
    Effect.gen(function* () {
      const answers = yield* answersOf(yield* all, (place) => call.run(place, args))
      return tallyOf(yield* answeredOf(answers))
    })

/** The records of all databases, the newest last: a cell keeps the former record of a person who has moved away. */
const newestLast = (found: ReadonlyArray<AccessSince & Partial<TimedAccess>>) =>
  found
    .flatMap(({ changedAt, people }) => people.map((record, place) => ({ record, at: changedAt?.[place] ?? 0 })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ record }) => record)

/**
 * The people whose access changed. The next question begins at the earliest time of all databases, and not later than
 * this one if a database did not answer: no change is missed, and some come twice.
 */
export const accessSince =
  ({ all }: Routes, call: Call): Method =>
  (moment) =>
    Effect.gen(function* () {
      const answers = yield* answersOf(yield* all, (place) => call.run(place, [moment]))
      const found = (yield* answeredOf(answers)) as ReadonlyArray<AccessSince>
      const isWhole = answers.every(({ result }) => Result.isSuccess(result))
      const times = found.map(({ asOf }) => asOf)
      return {
        people: newestLast(found),
        asOf: Math.min(...times, ...(isWhole ? [] : [(moment as number | undefined) ?? 0]))
      } satisfies AccessSince
    })

/**
 * Takes rows from one database after another until the limit is reached. Each call begins with another one, so that none
 * of them waits for ever; those that do not answer are passed over.
 */
export const claimsInTurn = ({ all }: Routes, call: Call, limitOf: (first: unknown) => number): Method => {
  let turn = 0
  const withLimit = (first: unknown, limit: number) => (typeof first === "number" ? limit : { ...Object(first), limit })
  return (first) =>
    Effect.gen(function* () {
      const places = yield* all
      turn = (turn + 1) % places.length
      const rows: Array<unknown> = []
      const failures: Array<unknown> = []
      for (const place of [...places.slice(turn), ...places.slice(0, turn)]) {
        const limit = limitOf(first) - rows.length
        if (limit <= 0) break
        const found = yield* Effect.result(inPlace(place, call.run(place, [withLimit(first, limit)])))
        if (Result.isSuccess(found)) rows.push(...(found.success as ReadonlyArray<unknown>))
        else failures.push(found.failure)
      }
      return failures.length === places.length ? yield* Effect.fail(failures[0]) : rows
    })
}
