import { readdirSync, readFileSync } from "node:fs"
import { parse, parseAllDocuments, stringify } from "yaml"
import { repository } from "./dockerfile.ts"

const CHART = `${repository}/deploy/helm/parley`

interface Scope {
  readonly Values: Readonly<Record<string, unknown>>
  readonly Release: { readonly Name: string }
}

const indented = (text: string, by: number): string => `\n${text.trim()}`.replaceAll("\n", `\n${" ".repeat(by)}`)

const valueAt = (scope: Scope, path: string): unknown =>
  path
    .split(".")
    .filter((part) => part !== "")
    .reduce<unknown>((value, part) => {
      const found = Object(value)[part] as unknown
      if (found === undefined) throw new Error(`The chart has no value ${path}.`)
      return found
    }, scope)

/**
 * The manifests of the chart with its own values. Helm itself is not here; the templates use four of its functions alone
 * (`include`, `nindent`, `quote`, `toYaml`), which this carries out, and an unknown one fails.
 */
export const renderChart = (name = "parley"): ReadonlyArray<Record<string, unknown>> => {
  const read = (path: string) => readFileSync(`${CHART}/${path}`, "utf8")
  const scope: Scope = { Values: parse(read("values.yaml")) as Record<string, unknown>, Release: { Name: name } }
  const defined = new Map(
    [...read("templates/_pod.tpl").matchAll(/\{\{- define "(.+?)" -\}\}\n([^]*?)\{\{- end \}\}/g)].map(
      ([, key = "", text = ""]) => [key, text] as const
    )
  )
  const evaluate = (expression: string): string => {
    const [first = "", ...filters] = expression.split("|").map((part) => part.trim())
    const [, called] = /^include "(.+)" \.$/.exec(first) ?? []
    const [, dumped] = /^toYaml (\S+)$/.exec(first) ?? []
    const begun =
      called !== undefined
        ? render(defined.get(called) ?? `{{ unknown template ${called} }}`)
        : dumped !== undefined
          ? stringify(valueAt(scope, dumped))
          : String(valueAt(scope, first))
    return filters.reduce((text, filter) => {
      const [, by] = /^nindent (\d+)$/.exec(filter) ?? []
      if (by !== undefined) return indented(text, Number(by))
      if (filter === "quote") return JSON.stringify(text)
      throw new Error(`The test does not know the function ${filter}.`)
    }, begun)
  }
  const render = (text: string): string =>
    text.replaceAll(/[ \t\n]*\{\{- (.+?) \}\}|\{\{ (.+?) \}\}/g, (_, trimmed?: string, plain?: string) =>
      evaluate(trimmed ?? plain ?? "")
    )
  return readdirSync(`${CHART}/templates`)
    .filter((file) => file.endsWith(".yaml"))
    .flatMap((file) =>
      parseAllDocuments(render(read(`templates/${file}`))).map((document) => {
        if (document.errors[0] !== undefined) throw document.errors[0]
        return document.toJS() as Record<string, unknown>
      })
    )
}
