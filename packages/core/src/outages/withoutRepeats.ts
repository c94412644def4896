import { type Context, Effect, Logger, References, type Scope } from "effect"
import { RepeatedFailures } from "./RepeatedFailures.ts"

/** The time between two records of what was left out. */
const TOLD_EVERY = "1 minute"

/** The sentence of a line alone: what else is logged with it may hold what others wrote. */
export const sentenceOf = (message: unknown): string =>
  [message]
    .flat()
    .filter((part) => typeof part === "string")
    .join(" ")

/**
 * Has a logger write the first record of each failure, and leave out those that repeat it: an outage fails every request in
 * the same way. Once a minute, and when the scope closes, one record says what was left out, how often and where. A failure
 * that did not come for a minute is written again. Everything that is not about a failure is written.
 */
export const withoutRepeats = (
  write: Logger.Logger<unknown, unknown>
): Effect.Effect<Logger.Logger<unknown, void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const repeated = new RepeatedFailures()
    /** That of the first record left out, until it is told. */
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
