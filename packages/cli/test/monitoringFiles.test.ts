import { readFileSync } from "node:fs"
import { instruments } from "@parley/core/adapter"
import { expect, it } from "vitest"
import { prometheusName } from "../src/telemetry/metricsText.ts"

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")
const alerts = textOf("deploy/monitoring/alerts.yaml")
const dashboard = JSON.parse(textOf("deploy/monitoring/grafana-dashboard.json")) as {
  readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}
const queries = [
  ...[...alerts.matchAll(/expr: (?:>-\n)?((?:.|\n {10})*)/g)].map(([, expr = ""]) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
]
const names = new Map(Object.values(instruments).map(({ facts }) => [prometheusName(facts), facts]))
const recorded = new Set(
  [...names.values()].flatMap(({ labels = [] }) => labels.map((each) => each.replaceAll(".", "_")))
)
/** Names of metrics in a query, without the endings of a histogram's series. */
const metricsIn = (query: string): ReadonlyArray<string> =>
  [...query.matchAll(/\b(?:parley|http|gen_ai|db|nodejs|process|v8js)_\w+(?=[[){ ]|$)/g)]
    .map(([name]) => name)
    .filter((name) => !recorded.has(name))
    .map((name) => (names.has(name) ? name : name.replace(/_(?:count|bucket|sum)$/, "")))

it("the dashboard and the alerts ask for metrics that exist, and each metric has a place in one of them", () => {
  const asked = new Set(queries.flatMap(metricsIn))
  expect([...asked].filter((name) => !names.has(name))).toEqual([])
  const unseen = [...names.keys()].filter((name) => !asked.has(name))
  expect(unseen).toEqual(["parley_model_fallbacks_total"])
})

it("the attributes by which the dashboard and the alerts group are recorded", () => {
  const grouped = queries.flatMap((query) =>
    [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()))
  )
  const unknown = grouped.filter((name) => !recorded.has(name) && name !== "le" && name !== "instance")
  expect(unknown).toEqual([])
})

it("each alert has its meaning and a first step on the page about monitoring", () => {
  const page = textOf("docs/monitoring.md")
  const defined = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name)
  const described = [...page.matchAll(/^\| `(Parley\w+)` +\|/gm)].map(([, name = ""]) => name)
  expect(described).toEqual(defined)
})
