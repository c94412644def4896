import { openEngine } from "@parley/adapters-db/embedded"
import type { BackgroundTaskName } from "@parley/core"
import { Effect } from "effect"
import { loadConfig } from "../config/loadConfig.ts"
import { forgetPassedSockets } from "../config/passedSockets.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import {
  unboundSessions,
  unencryptedAddresses,
  unencryptedConnections,
  unheardSettings,
  warningText,
  weakSecrets
} from "../config/rules/securityWarnings.ts"
import { serveRefusals } from "../config/rules/serveRules.ts"
import { idleServerRefusals, tasksOf } from "../config/rules/workRules.ts"
import { claimDataFolder } from "../dataFolder/claimDataFolder.ts"
import { databaseFolder } from "../dataFolder/databaseFolder.ts"
import { tryPort } from "./tryPort.ts"
import { untilStopped } from "./untilStopped.ts"

/** Serves until SIGINT or SIGTERM. Without `work`, other processes have to do the background work. */
export const serve = Effect.fnUntraced(function* ({ work }: { readonly work: boolean }) {
  const config = yield* loadConfig((config) => [...serveRefusals(config), ...(work ? [] : idleServerRefusals(config))])
  forgetPassedSockets()
  const stopMs = (config.shutdownDelaySeconds + config.drainSeconds) * 1_000
  yield* untilStopped(config, stopMs, start(config, work ? tasksOf(config) : []))
})

/**
 * Opens the parts of the server. Each part stays open until the scope closes. The scope closes them in the reverse
 * order: it refuses commands, refuses and finishes requests, and stops the background work, the database, and last the
 * data folder.
 */
const start = Effect.fnUntraced(function* (config: ParleyConfig, tasks: ReadonlyArray<BackgroundTaskName>) {
  const unsafe = [
    ...unheardSettings(config),
    ...weakSecrets(config),
    ...unboundSessions(config),
    ...unencryptedAddresses(config),
    ...unencryptedConnections(config)
  ]
  yield* Effect.forEach(unsafe, (warning) => Effect.logWarning(warningText(warning)))
  const embedded = config.database._tag === "Embedded"
  const claim = embedded ? yield* claimDataFolder(config.dataFolder, true) : undefined
  if (config.passedSockets === undefined) yield* tryPort(config)
  // The database opens in a separate thread while this thread loads the code that uses it.
  const engine = embedded ? yield* openEngineOf(config) : undefined
  const { runServer } = yield* Effect.promise(() => import("./runServer.ts"))
  yield* runServer({ config, tasks, claim, engine })
})

const openEngineOf = ({ databaseSchema, dataFolder }: ParleyConfig) =>
  Effect.acquireRelease(
    Effect.sync(() => openEngine({ dataDir: databaseFolder(dataFolder), schema: databaseSchema })),
    (engine) => Effect.promise(() => engine.close())
  )
