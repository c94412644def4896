import type { NamedDatabase } from "@parley/adapters-db"
import { StorageFailed } from "@parley/core/adapter"
import { Context, Effect } from "effect"

const load = Effect.promise(() => import("@parley/adapters-db"))

/** A result of one of several databases; `database` is undefined if there is only one. */
export interface OfDatabase<A> {
  readonly database: string | undefined
  readonly result: A
}

/** Runs work with the statements of one database, and the stores of all. */
export const onDatabase = <A, E, R>(database: NamedDatabase, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(load, ({ Database, DatabaseError, DatabaseOwner }) =>
    work.pipe(
      Effect.provideService(Database, Context.get(database.services, Database)),
      Effect.provideService(DatabaseOwner, Context.get(database.services, DatabaseOwner)),
      Effect.mapError((error) =>
        error instanceof DatabaseError
          ? new StorageFailed({
              operation: "Cells.ask",
              retryable: error.retryable,
              ...error.wait,
              cell: database.name,
              cause: error
            })
          : error
      )
    )
  )

/** Runs work on each database in turn, the global one first. The first failure ends it, and names the database. */
export const eachDatabase = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { Databases } = yield* load
    const { all, cells } = yield* Databases
    if (cells === undefined)
      return [{ database: undefined, result: yield* work }] satisfies ReadonlyArray<OfDatabase<A>>
    return yield* Effect.forEach(all, (database) =>
      Effect.map(onDatabase(database, work), (result): OfDatabase<A> => ({ database: database.name, result }))
    )
  })

/** The result of one database as it is, or those of several under their names: for programs. */
export const asJson = <A extends object>(results: ReadonlyArray<OfDatabase<A>>): unknown =>
  results.length === 1 && results[0]?.database === undefined
    ? results[0]?.result
    : { databases: results.map(({ database, result }) => ({ database, ...result })) }

/** The lines of one database as they are, or those of several under their names. */
export const asLines = (results: ReadonlyArray<OfDatabase<ReadonlyArray<string>>>): ReadonlyArray<string> =>
  results.flatMap(({ database, result }) =>
    database === undefined ? result : [`${database}:`, ...result.map((line) => (line === "" ? "" : `  ${line}`))]
  )
