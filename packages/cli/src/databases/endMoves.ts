import { Databases, moving } from "@parley/adapters-db"
import { failureFields } from "@parley/core/adapter"
import { Effect, Schedule } from "effect"

/** Each server has heard of a move before this time has passed. Until then, it reads the rows in the former cell. */
const ERASED_AFTER_MS = 30_000
/**
 * The mover is dead: between two states, a move waits for a few seconds, except while it copies rows, which is visible. An
 * assignment shows itself every 20 seconds.
 */
const ENDED_AFTER_MS = 120_000
const EVERY = "15 seconds"

/**
 * Ends moves and assignments whose process has died, and erases what moved owners left in former cells, from time to time
 * until the scope closes.
 */
export const endMoves = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  const trying = (call: () => Promise<number>, warning: string) =>
    Effect.catch(moving(call), (error) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning(`${warning} They are tried again.`), failureFields(error)), 0)
    )
  const { eraseMoved, finishMoves } = cells.moves
  const round = Effect.andThen(
    trying(() => finishMoves({ olderThanMs: ENDED_AFTER_MS }), "Interrupted moves of people could not be ended."),
    trying(
      () => eraseMoved({ olderThanMs: ERASED_AFTER_MS }),
      "Rows of moved people could not be erased in their former cells."
    )
  )
  // Many rows are erased in parts, and interrupted moves are ended in between.
  const whole = Effect.repeat(round, { while: (erased) => erased > 0 })
  yield* Effect.forkScoped(Effect.repeat(whole, Schedule.spaced(EVERY)))
})
