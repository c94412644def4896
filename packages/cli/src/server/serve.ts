import { flushCompileCache } from "node:module"
import { DocumentRequeue, HoldSweeper } from "@parley/core"
import { Console, Deferred, Effect } from "effect"
import { StopSignal } from "../commands/CommandContext.ts"
import { loadConfig } from "../config/loadConfig.ts"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { unencryptedConnections, warningText, weakSecrets } from "../config/securityWarnings.ts"
import { serveRefusals } from "../config/serveRules.ts"
import { claimDataFolder } from "../dataFolder/claimDataFolder.ts"
import { exitCodes } from "../exitCodes.ts"
import { foreignCommands } from "./foreignCommands.ts"
import { loggingLayer } from "./logging.ts"
import { DRAIN_MS, openHttp } from "./openHttp.ts"
import { openParts } from "./openParts.ts"
import { runningParts, serverUrl, startUpText } from "./startUpText.ts"
import { tryPort } from "./tryPort.ts"
import { workOnJobs } from "./workOnJobs.ts"

/** How long charging and closing may take after the requests: a database that does not answer is not waited for. */
const CLOSING_MS = 15_000

/** Ends the process where it has not ended by itself in time. */
const endInTime = Effect.map(Effect.context<never>(), (context) => {
  const late = Effect.logError("Not everything could be closed in time. Replies without a charge get it by a sweep.")
  const end = () => {
    Effect.runSyncWith(context)(late)
    process.exit(exitCodes.failed)
  }
  setTimeout(end, DRAIN_MS + CLOSING_MS).unref()
})

/** Serves until SIGINT or SIGTERM; a second one ends the process at once. */
export const serve = Effect.gen(function* () {
  const config = yield* loadConfig(serveRefusals)
  const stop = yield* StopSignal
  const stopping = Effect.andThen(
    Effect.logInfo(`Stopping: what runs gets ${DRAIN_MS / 1000} seconds. A second signal stops at once.`),
    endInTime
  )
  yield* Effect.raceFirst(Effect.andThen(start(config), Effect.never), Effect.andThen(stop.wait, stopping)).pipe(
    Effect.scoped,
    Effect.andThen(Effect.logInfo("Stopped.")),
    Effect.provide(loggingLayer(config))
  )
})

/**
 * Opens everything, each part for the scope. The scope closes them in the reverse order: no more commands, then no more
 * requests and an end for those that run, then the work on documents, the database, and last the data folder.
 */
const start = Effect.fnUntraced(function* (config: ParleyConfig) {
  const unsafe = [...weakSecrets(config), ...unencryptedConnections(config)]
  yield* Effect.forEach(unsafe, (warning) => Effect.logWarning(warningText(warning)))
  const claim = config.database._tag === "Embedded" ? yield* claimDataFolder(config.dataFolder, true) : undefined
  yield* tryPort(config)
  const runtime = yield* openParts(config)
  const parts = yield* runtime.contextEffect
  const listening = yield* Deferred.make<void>()
  const working = Effect.andThen(
    Deferred.await(listening),
    Effect.raceFirst(
      workOnJobs,
      DocumentRequeue.use(({ run }) => run)
    )
  )
  yield* Effect.forkScoped(Effect.provideContext(working, parts))
  yield* Effect.forkScoped(
    Effect.provideContext(
      HoldSweeper.use(({ run }) => run),
      parts
    )
  )
  const port = yield* openHttp(config, runtime)
  yield* claim?.answerWith(yield* foreignCommands(config, parts)) ?? Effect.void
  yield* announce(config, port)
  yield* Deferred.succeed(listening, undefined)
  // The next start is faster even if this process is killed.
  yield* Effect.sync(() => setTimeout(flushCompileCache, 100).unref())
})

/** People get a text on stdout; in production, where programs read, it is a line of the log. */
const announce = (config: ParleyConfig, port: number): Effect.Effect<void> => {
  if (!config.production) return Console.log(startUpText(config, port))
  const parts = Object.fromEntries(runningParts(config).map(({ part, runsOn }) => [part, runsOn]))
  return Effect.logInfo("Parley listens.").pipe(Effect.annotateLogs({ url: serverUrl(config, port), port, ...parts }))
}
