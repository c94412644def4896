import { flushCompileCache } from "node:module"
import type { PgliteThread } from "@parley/adapters-db/embedded"
import type { BackgroundTaskName } from "@parley/core"
import { backgroundWorkLayer } from "@parley/core/effect"
import { Console, Effect, Exit, Layer, Scope } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import type { DataFolderClaim } from "../dataFolder/claimDataFolder.ts"
import { endMoves } from "../databases/endMoves.ts"
import { foreignCommands } from "./foreignCommands.ts"
import { openHttp } from "./openHttp.ts"
import { startSamples } from "../telemetry/samples.ts"
import { openParts } from "./openParts.ts"
import { serveHealth } from "./serveHealth.ts"
import { runningParts, serverUrl, startUpText } from "./startUpText.ts"

/** The open parts of a starting server. */
interface ServerStart {
  readonly config: ParleyConfig
  readonly tasks: ReadonlyArray<BackgroundTaskName>
  /** The claim of the data folder, if the database is embedded. */
  readonly claim: DataFolderClaim | undefined
  readonly engine: PgliteThread | undefined
}

/** Brings the database up to date, listens, and begins the background work; each part is open for the scope. */
export const runServer = Effect.fnUntraced(function* ({ config, tasks, claim, engine }: ServerStart) {
  const runtime = yield* openParts(config, engine)
  const parts = yield* runtime.contextEffect
  // Before the requests, so that it ends after them: while replies run on, a scrape sees them and their charges.
  yield* Effect.provideContext(startSamples(config), parts)
  yield* serveMetrics(config)
  const working = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const { port, loadPages, beginPayments } = yield* openHttp(config, runtime)
  yield* claim?.answerWith(yield* foreignCommands(config, parts)) ?? Effect.void
  yield* announce(config, tasks, port)
  // Starts after the server listens, so that it does not delay the start, and ends after the requests.
  yield* Effect.provideContext(Layer.buildWithScope(backgroundWorkLayer(tasks), working), parts)
  if (tasks.length > 0) yield* Effect.provideContext(endMoves, parts)
  yield* Effect.sync(() => {
    const flush = () => setTimeout(flushCompileCache, 100).unref()
    // The next start is faster even if this process is killed. Pages that cannot be loaded answer so themselves.
    loadPages().then(flush, flush)
    // Its events wait until the webhook accepts them.
    beginPayments()?.catch(() => undefined)
  })
})

/** Serves metrics on a port of their own, if one is set. */
const serveMetrics = Effect.fnUntraced(function* ({ host, metricsPort }: ParleyConfig) {
  if (metricsPort === undefined) return
  const port = yield* serveHealth(host, metricsPort, "metrics")
  yield* Effect.annotateLogs(Effect.logInfo("Metrics are served at /metrics."), { port })
})

/** Prints a text for people on stdout; in production, a line of the log. */
const announce = (
  config: ParleyConfig,
  tasks: ReadonlyArray<BackgroundTaskName>,
  port: number
): Effect.Effect<void> => {
  if (!config.production) return Console.log(startUpText(config, tasks, port))
  const parts = Object.fromEntries(runningParts(config, tasks).map(({ part, runsOn }) => [part, runsOn]))
  return Effect.logInfo("Parley listens.").pipe(Effect.annotateLogs({ url: serverUrl(config, port), port, ...parts }))
}
