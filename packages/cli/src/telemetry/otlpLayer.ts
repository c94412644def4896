import { ConfigProvider, Effect, Layer } from "effect"
import { layer as fetchLayer } from "effect/http/FetchHttpClient"
import { HttpClient, transform } from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import { layerJson } from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { version } from "../version.ts"
import { quietTracerLayer } from "./quietTracerLayer.ts"

type Variables = Readonly<Record<string, string>>

/** Time for a collector to answer, in milliseconds: OpenTelemetry's own default. */
const TIMEOUT_MS = 10_000

const timeoutOf = (variables: Variables, signal: "TRACES" | "METRICS"): number =>
  Number(variables[`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`] ?? variables["OTEL_EXPORTER_OTLP_TIMEOUT"] ?? TIMEOUT_MS)

/**
 * A client whose requests fail if the response is not whole in time. The exporter keeps what it sends until the collector
 * has answered, and sends more meanwhile: one that never answers would fill the memory.
 */
const boundedClient = (timeoutMs: number): Layer.Layer<HttpClient> =>
  Layer.effect(
    HttpClient,
    Effect.map(HttpClient, (client) =>
      transform(client, (response, request) =>
        Effect.timeoutOrElse(
          Effect.tap(response, ({ arrayBuffer }) => arrayBuffer),
          {
            duration: timeoutMs,
            orElse: () => Effect.fail(new HttpClientError({ reason: new TransportError({ request }) }))
          }
        )
      )
    )
  ).pipe(Layer.provide(fetchLayer))

/** The exporters of traces and metrics, with the settings in these variables. */
export const otlpLayer = (variables: Variables): Layer.Layer<never> => {
  const resource = { serviceVersion: version }
  const traces = OtlpTracer.layerFromConfig({ resource }).pipe(
    Layer.provide(boundedClient(timeoutOf(variables, "TRACES")))
  )
  const metrics = OtlpMetrics.layerFromConfig({ resource }).pipe(
    Layer.provide(boundedClient(timeoutOf(variables, "METRICS")))
  )
  return Layer.merge(Layer.provide(quietTracerLayer, traces), metrics).pipe(
    Layer.provide([layerJson, ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))])
  )
}
