import { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { type Database, DatabaseError } from "../../database/Database.ts"
import type { DatabaseOwner } from "../../database/DatabaseOwner.ts"
import { inDatabase, type NamedDatabase } from "../Databases.ts"

/** Runs statements on one of several databases; a failure of the database names it. */
export const onCell = <A, E>(
  cell: NamedDatabase,
  work: Effect.Effect<A, E, Database | DatabaseOwner>
): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed> =>
  Effect.mapError(inDatabase(cell, work), (error): Exclude<E, DatabaseError> | StorageFailed =>
    error instanceof DatabaseError
      ? new StorageFailed({
          operation: "Cells.ask",
          retryable: error.retryable,
          ...error.wait,
          cell: cell.name,
          cause: error
        })
      : (error as Exclude<E, DatabaseError>)
  )
