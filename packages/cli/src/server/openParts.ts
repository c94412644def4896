import type { PgliteThread } from "@parley/adapters-db/embedded"
import { checkTiers } from "@parley/core/adapter"
import { type Context, Effect, Layer, ManagedRuntime } from "effect"
import type { Databases } from "@parley/adapters-db"
import { partsLayer } from "../compose.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { bringAllUpToDate, bringUpToDateLater, checkServing, checkServingLater } from "../databases/bringUpToDate.ts"
import { databasesLayer } from "../databases/databasesLayer.ts"
import { telemetryLayer } from "../telemetry/telemetryLayer.ts"
import { loggingLayer } from "./logging.ts"
import { warner } from "./warner.ts"

/** True if the schema of a database is changed at another address than the rest. */
const isPooled = ({ database }: ParleyConfig): boolean =>
  database._tag === "Server" && [database, ...(database.cells ?? [])].some(({ directUrl }) => directUrl !== undefined)

/** Runs changes of the schema, past the poolers. */
const pastPoolers = <A, E>(
  config: ParleyConfig,
  parts: Context.Context<Databases>,
  work: Effect.Effect<A, E, Databases>
): Effect.Effect<A, E> =>
  isPooled(config)
    ? Effect.flatMap(warner("A connection to the database was lost."), (onConnectionLost) =>
        Effect.provide(work, databasesLayer(config, { direct: true, onConnectionLost, onError: onConnectionLost }))
      )
    : Effect.provideContext(work, parts)

const bringLater = (config: ParleyConfig, parts: Context.Context<Databases>, name: string) =>
  Effect.andThen(
    pastPoolers(config, parts, bringUpToDateLater(name)),
    isPooled(config) ? Effect.provideContext(checkServingLater(name), parts) : Effect.void
  )

/**
 * Opens all parts until the scope closes, on up-to-date schemas and with a catalog that has every tier in use; on
 * `engine` if that is open already.
 */
export const openParts = Effect.fnUntraced(function* (config: ParleyConfig, engine?: PgliteThread) {
  const observing = Layer.merge(loggingLayer(config), telemetryLayer(config))
  const runtime = yield* Effect.acquireRelease(
    Effect.sync(() =>
      ManagedRuntime.make(Layer.provideMerge(partsLayer(config, { isCommand: false, engine }), observing))
    ),
    (runtime) => runtime.disposeEffect
  )
  const parts = yield* runtime.contextEffect
  const absent = yield* pastPoolers(config, parts, bringAllUpToDate)
  if (isPooled(config)) yield* Effect.provideContext(checkServing, parts)
  for (const name of absent) yield* Effect.forkScoped(bringLater(config, parts, name))
  yield* Effect.provideContext(checkTiers, parts)
  return runtime
})
