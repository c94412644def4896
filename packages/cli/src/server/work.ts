import { backgroundWorkLayer } from "@parley/core/effect"
import { Console, Effect, Layer } from "effect"
import { loadConfig } from "../config/loadConfig.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import {
  unencryptedConnections,
  unheardSettings,
  unverifiedConnections,
  warningText
} from "../config/rules/securityWarnings.ts"
import { tasksOf, workerRefusals } from "../config/rules/workRules.ts"
import { endMoves } from "../databases/endMoves.ts"
import { startSamples } from "../telemetry/samples.ts"
import { openParts } from "./openParts.ts"
import { serveHealth } from "./serveHealth.ts"
import { databasePart, workText } from "./startUpText.ts"
import { untilStopped } from "./untilStopped.ts"

/** Time for running jobs to finish when the worker stops. */
const DRAIN_MS = 10_000

/** Does the background work until SIGINT or SIGTERM. */
export const work = Effect.gen(function* () {
  const config = yield* loadConfig((config) => [...workerRefusals(config), ...unverifiedConnections(config)])
  yield* untilStopped(config, DRAIN_MS, start(config))
})

const start = Effect.fnUntraced(function* (config: ParleyConfig) {
  yield* Effect.forEach([...unheardSettings(config), ...unencryptedConnections(config)], (warning) =>
    Effect.logWarning(warningText(warning))
  )
  const runtime = yield* openParts(config)
  const parts = yield* runtime.contextEffect
  // Before the work, so that it ends after it.
  yield* Effect.provideContext(startSamples(config), parts)
  const port = yield* serveHealthOf(config)
  yield* Effect.provideContext(Layer.build(backgroundWorkLayer(tasksOf(config))), parts)
  yield* Effect.provideContext(endMoves, parts)
  yield* announce(config, port)
})

/** Serves /healthz on `PARLEY_METRICS_PORT`, else on `PORT` if it is set and free: a server beside this worker may have taken it. */
const serveHealthOf = ({ host, isPortSet, metricsPort, port }: ParleyConfig) => {
  if (metricsPort !== undefined) return serveHealth(host, metricsPort, "metrics")
  if (!isPortSet) return Effect.undefined
  const left = Effect.logWarning(
    `/healthz is not served: port ${port} is taken. Set PARLEY_METRICS_PORT to another port.`
  )
  return Effect.catchTag(serveHealth(host, port), "PortTaken", () => Effect.as(left, undefined))
}

/** Prints a text for people on stdout; in production, a line of the log. */
const announce = (config: ParleyConfig, port: number | undefined): Effect.Effect<void> =>
  config.production
    ? Effect.annotateLogs(Effect.logInfo("Parley works."), {
        ...(port === undefined ? {} : { port }),
        tasks: tasksOf(config).join(","),
        database: databasePart(config).runsOn
      })
    : Console.log(workText(config, tasksOf(config), port))
