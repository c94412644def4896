import { Effect, type Scope } from "effect"
import { StopSignal } from "../running/CommandContext.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { loggingLayer } from "./logging.ts"

/**
 * Longest time for charging and closing after the last request, so that the process ends even if the database does not
 * answer.
 */
const CLOSING_MS = 15_000

/** Ends the process with an error if it still runs after this time. */
const endIn = (milliseconds: number, stop: StopSignal["Service"]) =>
  Effect.map(Effect.context<never>(), (context) => {
    const late = Effect.logError("Not everything could be closed in time. Replies without a charge get it by a sweep.")
    const end = () => {
      Effect.runSyncWith(context)(late)
      stop.end(exitCodes.failed)
    }
    setTimeout(end, milliseconds).unref()
  })

/**
 * Runs `start` until SIGINT or SIGTERM, then closes its scope. Running work may take `drainMs` more; a second signal
 * ends the process at once.
 */
export const untilStopped = <E, R>(
  config: ParleyConfig,
  drainMs: number,
  start: Effect.Effect<void, E, R>
): Effect.Effect<void, E, Exclude<R, Scope.Scope> | StopSignal> =>
  StopSignal.use((stop) =>
    Effect.raceFirst(
      Effect.andThen(start, Effect.never),
      stop.wait.pipe(
        Effect.andThen(
          Effect.logInfo(`Stopping: running requests have ${drainMs / 1000} seconds. A second signal stops at once.`)
        ),
        Effect.andThen(endIn(drainMs + CLOSING_MS, stop))
      )
    )
  ).pipe(Effect.scoped, Effect.andThen(Effect.logInfo("Stopped.")), Effect.provide(loggingLayer(config)))
