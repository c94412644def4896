import type { Environment } from "../../packages/cli/src/config/EnvironmentReader.ts"
import { readSettings } from "../../packages/cli/src/config/readConfig.ts"
import { generatedPage, table } from "./markdown.ts"
import { textOf } from "./sitePages.ts"

/** A row of the table of environment variables: names, default and meaning. */
export interface VariableRow {
  readonly names: ReadonlyArray<string>
  readonly default: string
  readonly sets: string
}

const README = "packages/cli/README.md"

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((text) => text.trim())

/**
 * The names in a cell. A name may omit the prefix that it shares with the first one: `CRM_PROVIDER_ONE_CLIENT_ID`,
 * `_CLIENT_SECRET`.
 */
const namesOf = (text: string): ReadonlyArray<string> => {
  const written = [...text.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = ""]) => name)
  const prefix = /^(?:CRM_PROVIDER_ONE)/.exec(written[0] ?? "")?.[0] ?? ""
  return written.map((name) => (name.startsWith("_") ? `${prefix}${name}` : name))
}

/** The variables as the README of the command line describes them. */
export const describedVariables = (): ReadonlyArray<VariableRow> => {
  const lines = textOf(README).split("\n")
  const start = lines.findIndex((line) => /^\| variable +\| default/.test(line))
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"))
  return lines.slice(start + 2, end).map((line) => {
    const [names = "", byDefault = "", sets = ""] = cellsOf(line)
    return { names: namesOf(names), default: byDefault, sets: sets.replaceAll("](#", `](../../${README}#`) }
  })
}

/** The names in `.env.example` in order, each with the title above it. */
export const exampleVariables = (): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  let title = ""
  for (const line of textOf(".env.example").split("\n")) {
    title = /^# --- (.+?) -+$/.exec(line)?.[1]?.replace(/: see .*$/, "") ?? title
    const name = /^# ([A-Z][A-Z0-9_]+)=/.exec(line)?.[1]
    if (name !== undefined) names.set(name, title)
  }
  return names
}

/** Settings with which the configuration also reads variables that depend on others. */
const settings: Environment = {
  DATABASE_URL: "postgres://parley@127.0.0.1/parley",
  PARLEY_FILES_URL: "s3://bucket",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
  PARLEY_OCR_DATA: "/srv/tessdata",
  CRM_PROVIDER_ONE_CLIENT_ID: "id",
  CRM_PROVIDER_TWO_CLIENT_ID: "id"
}

/**
 * All variables that the configuration reads, found by reading a configuration. `configFile` is the path of a file for
 * `PARLEY_CONFIG` that contains an embedder.
 */
export const readVariables = (configFile: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const watched = (environment: Environment): Environment =>
    new Proxy(environment, {
      get: (target, name) => {
        seen.add(String(name))
        return target[String(name)]
      }
    })
  readSettings(watched({}), "/")
  readSettings(watched({ ...settings, PARLEY_CONFIG: configFile }), "/")
  return seen
}

/** Rewrites links in the command line's README, so that they work from the page of the site. */
const fromReference = (text: string): string => text.replaceAll("](../", "](../../packages/")

/** The page of all variables, grouped as in `.env.example`. */
export const configurationPage = (): string => {
  const titles = exampleVariables()
  const rows = describedVariables()
  const groups = Map.groupBy(rows, ({ names }) => titles.get(names[0] ?? "") ?? "what the program itself reads")
  const order = [...new Set(titles.values())].filter((title) => groups.has(title))
  return generatedPage("Configuration", [
    "On this page you find every variable that configures a server. `parley` reads the environment and a file `.env` in the working folder; the environment takes precedence. An empty variable counts as not set. The server lists all problems together, at start, without values; `parley doctor` lists them and more. All variables are optional: without any of them a server runs on this machine, with stand-ins.",
    "A JSON file that `PARLEY_CONFIG` names defines tiers, models and prices, the embedder of documents, and the limits of bots' visitors: [its fields](../../packages/core/src/tiers/README.md).",
    ...order.flatMap((title) => [
      `## ${title[0]?.toUpperCase()}${title.slice(1)}`,
      table(
        ["variable", "default", "what it sets"],
        (groups.get(title) ?? []).map((row) => [
          row.names.map((name) => `\`${name}\``).join("<br>"),
          row.default,
          fromReference(row.sets)
        ])
      )
    ])
  ])
}
