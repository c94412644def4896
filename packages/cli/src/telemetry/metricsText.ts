import { type InstrumentFacts, instrumentFacts } from "@parley/core/adapter"
import { Context } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"

const SUFFIXES: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" }

/** The Prometheus name of a metric, by OpenTelemetry's rules: with its unit, and with `_total` for a sum. */
export const prometheusName = ({ kind, name, unit }: Pick<InstrumentFacts, "kind" | "name" | "unit">): string =>
  `${name.replaceAll(".", "_")}${SUFFIXES[unit] ?? ""}${kind === "counter" ? "_total" : ""}`

const nameOf = (name: string): string => {
  const facts = instrumentFacts(name)
  return facts === undefined ? name : prometheusName(facts)
}

/** All metrics of this process in Prometheus' text format 0.0.4. */
export const metricsText = (): string => formatUnsafe(Context.empty(), { metricNameMapper: nameOf })
