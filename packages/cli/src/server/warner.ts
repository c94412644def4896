import { failureFields } from "@parley/core/adapter"
import { Effect } from "effect"
import { storageCode } from "../commands/explainDatabase.ts"

/** A callback for libraries that tell of trouble in the background: logs `sentence` with the error's name and codes, nothing else of it. */
export const warner = (sentence: string): Effect.Effect<(error: Error) => void> =>
  Effect.map(Effect.context<never>(), (context) => (error) => {
    const warning = Effect.annotateLogs(Effect.logWarning(sentence), {
      ...failureFields(error),
      code: storageCode(error) ?? error.name
    })
    Effect.runForkWith(context)(warning)
  })
