import { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"
import { forPurpose, type Purpose } from "../database/limits.ts"

/**
 * Maps the errors of a port's method: a database error becomes `StorageFailed` of `operation` (port and method, for
 * example `ChatStore.list`). Other failures pass. The statements of the method have the time limits of `purpose`.
 */
export const storing =
  (operation: string, purpose: Purpose = "interactive") =>
  <A, E, R>(
    effect: Effect.Effect<A, E | DatabaseError, R>
  ): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, R> =>
    Effect.catchTag(forPurpose(purpose)(effect as Effect.Effect<A, DatabaseError, R>), "DatabaseError", (error) =>
      Effect.fail(new StorageFailed({ operation, retryable: error.retryable, ...error.wait, cause: error }))
    ) as Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, R>
