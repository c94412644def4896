import { Effect, Fiber } from "effect"

/** How long who waits for the end of a hold waits at most. */
const PATIENCE = "4 seconds"

/**
 * Does the work that ends a hold, whatever becomes of who waits for it: for a few seconds only, since what was paid is
 * there already. Where the storage stays down, it is done in the background as soon as it answers again.
 */
export const finishSoon = (work: Effect.Effect<void>, key: string): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Effect.uninterruptible(work), { startImmediately: true }), (finishing) =>
    Effect.catchTag(Effect.timeout(Effect.interruptible(Fiber.join(finishing)), PATIENCE), "TimeoutError", () =>
      Effect.annotateLogs(Effect.logWarning("A hold is ended as soon as the storage answers again."), {
        hold: key,
        failure: "TimeoutError"
      })
    )
  )
