import { Cause, Effect } from "effect"
import { failureFields } from "../../storage/failureFields.ts"

/** Runs the last work on a hold, which may not fail: a failure is logged by its name alone. */
export const logFailure = <A>(work: Effect.Effect<A, unknown>, message: string, key: string): Effect.Effect<void> =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => {
      const fields = failureFields(Cause.squash(cause))
      return Effect.annotateLogs(Effect.logError(message), { hold: key, ...fields })
    })
  )
