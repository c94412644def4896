import { TracedContents } from "@parley/core/adapter"
import { Effect, Layer, Redacted, References } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"

/**
 * Sends traces and metrics to the configured collector over OTLP/HTTP, as JSON. If no collector is configured, no spans
 * are made and the exporter is not loaded.
 */
export const telemetryLayer = ({ otlp }: ParleyConfig): Layer.Layer<never> =>
  otlp === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./otlpLayer.ts")),
          ({ otlpLayer }) =>
            Layer.merge(
              otlpLayer(Redacted.value(otlp.variables), otlp.timeoutMs),
              Layer.succeed(TracedContents, otlp.contents)
            )
        )
      )
