import { ConfigProvider, Layer } from "effect"
import { layer as fetchLayer } from "effect/http/FetchHttpClient"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import { layerJson } from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { version } from "../version.ts"

/** The exporters of traces and metrics, with the settings in these variables. */
export const otlpLayer = (variables: Readonly<Record<string, string>>): Layer.Layer<never> => {
  const resource = { serviceVersion: version }
  return Layer.mergeAll(OtlpTracer.layerFromConfig({ resource }), OtlpMetrics.layerFromConfig({ resource })).pipe(
    Layer.provide([fetchLayer, layerJson, ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))])
  )
}
