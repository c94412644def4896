import { ConfigProvider, Effect, Layer } from "effect"
import { layer as fetchLayer } from "effect/http/FetchHttpClient"
import { HttpClient, transform } from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import { layerJson } from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { version } from "../version.ts"
import { quietTracerLayer } from "./quietTracerLayer.ts"

/**
 * An HTTP client whose requests fail if the response is not complete in time. The exporter keeps each request's data
 * until the collector answers and sends more meanwhile, so a collector that never answers would fill the memory.
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

/** The exporters of traces and metrics with the settings in `variables`; the collector has `timeoutMs` to answer. */
export const otlpLayer = (variables: Readonly<Record<string, string>>, timeoutMs: number): Layer.Layer<never> => {
  const resource = { serviceVersion: version }
  const traces = Layer.provide(quietTracerLayer, OtlpTracer.layerFromConfig({ resource }))
  return Layer.merge(traces, OtlpMetrics.layerFromConfig({ resource })).pipe(
    Layer.provide([
      boundedClient(timeoutMs),
      layerJson,
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))
    ])
  )
}
