import { Databases, moving } from "@parley/adapters-db"
import { failureFields } from "@parley/core/adapter"
import { Effect, Schedule } from "effect"

/**
 * Each server has heard of a move before this time has passed. Until then, lists and reports over all cells contain these
 * people twice.
 */
const AFTER_MS = 30_000
const EVERY = "15 seconds"

/** Erases what moved owners left in former cells, from time to time until the scope closes. */
export const eraseLeftRows = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  const erase = Effect.catch(
    moving(() => cells.moves.eraseMoved({ olderThanMs: AFTER_MS })),
    (error) =>
      Effect.annotateLogs(
        Effect.logWarning("Rows of moved people could not be erased in their former cells. They are tried again."),
        failureFields(error)
      )
  )
  yield* Effect.forkScoped(Effect.repeat(erase, Schedule.spaced(EVERY)))
})
