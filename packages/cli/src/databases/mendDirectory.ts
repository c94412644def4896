import { Databases, DatabaseError } from "@parley/adapters-db"
import { Effect } from "effect"

/**
 * Writes the payment references and the bots' keys of cells that were never looked at into the directory. A cell that does
 * not answer is looked at by the next start.
 */
export const mendDirectory = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  yield* Effect.catchIf(
    Effect.asVoid(cells.mend()),
    (error) => error instanceof DatabaseError,
    () =>
      Effect.annotateLogs(
        Effect.logWarning("A cell was not looked at for the directory, because it does not answer."),
        { reason: "cell_unavailable" }
      )
  )
})
