import { type Context, Effect, Logger, References, type Scope } from "effect"
import { RepeatedFailures } from "./RepeatedFailures.ts"

/** The interval of the reports about repeated failures. */
const TOLD_EVERY = "1 minute"

/** Returns only the sentence of a log line, because other parts may contain texts from outside. */
export const sentenceOf = (message: unknown): string =>
  [message]
    .flat()
    .filter((part) => typeof part === "string")
    .join(" ")

/**
 * Makes a logger write the first record of each failure and leave out its repetitions, because an outage makes every
 * request fail in the same way. Once a minute, and when the scope closes, a record reports the number of records that
 * were left out, and their places. A failure that has not occurred for a minute is written again. All other records are
 * written.
 */
export const withoutRepeats = (
  write: Logger.Logger<unknown, unknown>
): Effect.Effect<Logger.Logger<unknown, void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const repeated = new RepeatedFailures()
    /** The context of the first record that was left out since the last report. */
    let surroundings: Context.Context<never> | undefined

    const tell = Effect.suspend(() => {
      const context = surroundings
      surroundings = undefined
      const leftOut = repeated.takeLeftOut()
      if (context === undefined || leftOut.length === 0) return Effect.void
      return Effect.logWarning("Records that repeat earlier ones were left out.").pipe(
        Effect.provideService(References.CurrentLogAnnotations, { repeated: leftOut }),
        Effect.provideService(Logger.CurrentLoggers, new Set([write])),
        Effect.provideContext(context)
      )
    })
    yield* Effect.addFinalizer(() => tell)

    return Logger.make((options) => {
      const { date, fiber, logLevel, message } = options
      const fields = fiber.getRef(References.CurrentLogAnnotations)
      const record = { logLevel, sentence: sentenceOf(message), fields }
      if (!repeated.isRepeat(record, date.getTime())) return void write.log(options)
      if (surroundings !== undefined) return
      surroundings = fiber.context
      Effect.runForkWith(surroundings)(Effect.forkIn(Effect.andThen(Effect.sleep(TOLD_EVERY), tell), scope))
    })
  })
