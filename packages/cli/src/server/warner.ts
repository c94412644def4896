import { failureFields } from "@parley/core/adapter"
import { Effect } from "effect"
import { storageCode } from "../running/explainDatabase.ts"

/**
 * A callback for libraries that report problems in the background. It logs `sentence` with the error's name and codes,
 * not its message.
 */
export const warner = (sentence: string): Effect.Effect<(error: Error) => void> =>
  Effect.map(Effect.context<never>(), (context) => (error) => {
    const warning = Effect.annotateLogs(Effect.logWarning(sentence), {
      ...failureFields(error),
      code: storageCode(error) ?? error.name
    })
    Effect.runForkWith(context)(warning)
  })
