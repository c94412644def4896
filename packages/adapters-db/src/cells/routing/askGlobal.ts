import { Effect } from "effect"
import type { DatabaseError } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"
import { named } from "./cellFailures.ts"
import type { Unit } from "./CurrentUnit.ts"
import type { Routes, Work } from "./Routes.ts"

/** A statement of `SharedRows`. Its failure is that of a method, and names the database if that did not answer. */
export const askIn = <A>(place: string, operation: string, work: Effect.Effect<A, DatabaseError>) =>
  Effect.catch(storing(operation)(work), (error) => Effect.fail(named(place, error)))

/** A statement in the global database. */
export const askGlobal = <A>({ global }: Routes, operation: string, work: Effect.Effect<A, DatabaseError>) =>
  askIn(global.name, operation, work)

/**
 * Runs work in the global database that follows from what a unit of work has written: in the unit's transaction if that is
 * one of the global database, otherwise after the commit.
 */
export const following = ({ global }: Routes, unit: Unit, work: Work): Work => {
  if (unit.place === global) return work
  return Effect.sync(() => void unit.afterwards.push(work))
}
