import { directOptions, migrate, pendingMigrations, unlockedDatabaseLayer } from "@parley/adapters-db"
import type { PgliteThread } from "@parley/adapters-db/embedded"
import { checkTiers } from "@parley/core/adapter"
import { Effect, Layer, ManagedRuntime } from "effect"
import { databaseOptions, partsLayer } from "../compose.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { telemetryLayer } from "../telemetry/telemetryLayer.ts"
import { loggingLayer } from "./logging.ts"

/** Applies the missing migrations, which takes seconds on an empty database: the log has a line before them and one after. */
const bringUpToDate = Effect.gen(function* () {
  const pending = yield* pendingMigrations()
  if (pending.length > 0) yield* Effect.logInfo(`Bringing the database up to date: ${pending.length} migrations.`)
  const applied = yield* migrate()
  if (applied.length > 0) yield* Effect.logInfo(`Brought the database up to date: ${applied.join(", ")}.`)
})

/**
 * Opens all parts until the scope closes, on an up-to-date schema and with a catalog that has every tier in use; on
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
  const pooled = config.database._tag === "Server" && config.database.directUrl !== undefined
  const migrating = pooled
    ? Effect.provide(bringUpToDate, unlockedDatabaseLayer(directOptions(databaseOptions(config))))
    : Effect.flatMap(runtime.contextEffect, (parts) => Effect.provideContext(bringUpToDate, parts))
  yield* migrating
  yield* Effect.flatMap(runtime.contextEffect, (parts) => Effect.provideContext(checkTiers, parts))
  return runtime
})
