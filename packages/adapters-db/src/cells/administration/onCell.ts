import { StorageFailed } from "@parley/core/adapter"
import type { StoragePort } from "@parley/core/effect"
import { Effect } from "effect"
import { type Database, DatabaseError } from "../../database/Database.ts"
import type { DatabaseOwner } from "../../database/DatabaseOwner.ts"
import { inDatabase, type NamedDatabase } from "../Databases.ts"

/** Runs statements on one of several databases; a failure of the database names it. */
export const onCell = <A, E, R>(
  cell: NamedDatabase,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, Exclude<R, Database | DatabaseOwner | StoragePort>> =>
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
