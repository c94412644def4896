import { instruments } from "@parley/core/adapter"
import { prometheusName } from "../../packages/cli/src/telemetry/metricsText.ts"
import { cell, code, generatedPage, table } from "./markdown.ts"

const KINDS = { counter: "sum", upDownCounter: "gauge", gauge: "gauge", histogram: "histogram" } as const

const rowsOf = (isOwn: boolean): ReadonlyArray<ReadonlyArray<string>> =>
  Object.values(instruments)
    .map(({ facts }) => facts)
    .filter(({ name }) => name.startsWith("parley.") === isOwn)
    .map((facts) => [
      code(facts.name),
      code(prometheusName(facts)),
      KINDS[facts.kind],
      code(facts.unit),
      (facts.labels ?? []).map(code).join(", "),
      cell(facts.description)
    ])

const HEADS = ["metric", "in Prometheus", "kind", "unit", "attributes", "what it measures"]

/** The page of all metrics. */
export const metricsPage = (): string =>
  generatedPage("Metrics", [
    "These are all metrics that a process exports, from its start on, with 0 if nothing has happened yet. [Monitoring](../monitoring.md) says how to export them and which to watch. No attribute names a person.",
    "## Of Parley",
    table(HEADS, rowsOf(true)),
    "Gauges of the storage (`parley.holds`, `jobs`, `workers`, `webhooks`, `events`, `payments`, `verify`, `reset`) are the same in each process: take their maximum, not their sum. Webhooks are those that Parley sends; events of the payment provider are `parley.payments`.",
    "## By OpenTelemetry's conventions",
    table(HEADS, rowsOf(false))
  ])
