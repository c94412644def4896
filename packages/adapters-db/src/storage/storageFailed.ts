import { StorageFailed } from "@parley/core"
import { Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"

/**
 * Ends a port's method: what the database refused becomes `StorageFailed` of `operation` (port and method, for example
 * `ChatStore.list`). Other failures pass.
 */
export const storing =
  (operation: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | DatabaseError, R>
  ): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, R> =>
    Effect.catchTag(effect as Effect.Effect<A, DatabaseError, R>, "DatabaseError", (error) =>
      Effect.fail(new StorageFailed({ operation, retryable: error.retryable, cause: error }))
    ) as Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed, R>
