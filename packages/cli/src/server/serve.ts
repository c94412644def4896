import { flushCompileCache } from "node:module"
import { type BackgroundTaskName, backgroundWorkLayer } from "@parley/core"
import { Console, Effect, Exit, Layer, Scope } from "effect"
import { loadConfig } from "../config/loadConfig.ts"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { unencryptedConnections, warningText, weakSecrets } from "../config/securityWarnings.ts"
import { serveRefusals } from "../config/serveRules.ts"
import { idleServerRefusals, tasksOf } from "../config/workRules.ts"
import { claimDataFolder } from "../dataFolder/claimDataFolder.ts"
import { foreignCommands } from "./foreignCommands.ts"
import { DRAIN_MS, openHttp } from "./openHttp.ts"
import { openParts } from "./openParts.ts"
import { runningParts, serverUrl, startUpText } from "./startUpText.ts"
import { tryPort } from "./tryPort.ts"
import { untilStopped } from "./untilStopped.ts"

/** Serves until SIGINT or SIGTERM; without `work`, other processes have to do the background work. */
export const serve = Effect.fnUntraced(function* ({ work }: { readonly work: boolean }) {
  const config = yield* loadConfig((config) => [...serveRefusals(config), ...(work ? [] : idleServerRefusals(config))])
  yield* untilStopped(config, DRAIN_MS, start(config, work ? tasksOf(config) : []))
})

/**
 * Opens everything, each part for the scope. The scope closes them in the reverse order: no more commands, then no more
 * requests and an end for those that run, then the background work, the database, and last the data folder.
 */
const start = Effect.fnUntraced(function* (config: ParleyConfig, tasks: ReadonlyArray<BackgroundTaskName>) {
  const unsafe = [...weakSecrets(config), ...unencryptedConnections(config)]
  yield* Effect.forEach(unsafe, (warning) => Effect.logWarning(warningText(warning)))
  const claim = config.database._tag === "Embedded" ? yield* claimDataFolder(config.dataFolder, true) : undefined
  yield* tryPort(config)
  const runtime = yield* openParts(config)
  const parts = yield* runtime.contextEffect
  const working = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const port = yield* openHttp(config, runtime)
  yield* claim?.answerWith(yield* foreignCommands(config, parts)) ?? Effect.void
  yield* announce(config, tasks, port)
  // Begins once the server listens, so that nobody waits for it, and ends after the requests.
  yield* Effect.provideContext(Layer.buildWithScope(backgroundWorkLayer(tasks), working), parts)
  // The next start is faster even if this process is killed.
  yield* Effect.sync(() => setTimeout(flushCompileCache, 100).unref())
})

/** People get a text on stdout; in production, where programs read, it is a line of the log. */
const announce = (
  config: ParleyConfig,
  tasks: ReadonlyArray<BackgroundTaskName>,
  port: number
): Effect.Effect<void> => {
  if (!config.production) return Console.log(startUpText(config, tasks, port))
  const parts = Object.fromEntries(runningParts(config, tasks).map(({ part, runsOn }) => [part, runsOn]))
  return Effect.logInfo("Parley listens.").pipe(Effect.annotateLogs({ url: serverUrl(config, port), port, ...parts }))
}
