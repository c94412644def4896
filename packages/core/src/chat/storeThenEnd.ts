import { Effect } from "effect"
import { logFailure } from "../credits/holds/logFailure.ts"
import { retryThroughOutage } from "../storage/retryStorage.ts"

const NOT_STORED = "A reply could not be stored."

/**
 * Stores what a reply became and then ends its hold, in this order: a reply that is charged can be given again, also
 * where the process dies between the two. Only where the storage does not take it for minutes, or refuses it for good, is
 * a reply charged that could not be stored. Never fails.
 */
export const storeThenEnd = <A, E>(
  store: Effect.Effect<A, E>,
  end: Effect.Effect<void>,
  key: string
): Effect.Effect<void> => Effect.andThen(logFailure(retryThroughOutage(store), NOT_STORED, key), end)
