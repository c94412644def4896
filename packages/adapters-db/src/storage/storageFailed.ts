import { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"
import { forPurpose, type Purpose } from "../database/limits.ts"

/**
 * Turns database errors of a port's method into `StorageFailed`; other failures stay as they are. `operation` names the
 * port and the method, for example `ChatStore.list`. The statements of the method have the time limits of `purpose`.
 */
export const storing =
  (operation: string, purpose: Purpose = "interactive") =>
  <A, E, R>(
    effect: Effect.Effect<A, E | DatabaseError, R>
  ): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, R> =>
    Effect.catchTag(forPurpose(purpose)(effect as Effect.Effect<A, DatabaseError, R>), "DatabaseError", (error) =>
      Effect.fail(new StorageFailed({ operation, retryable: error.retryable, ...error.wait, cause: error }))
    ) as Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, R>
