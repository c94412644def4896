import { Option, Redacted, Schema } from "effect"
import { isUnencrypted, isUnverified } from "../databaseTls.ts"
import type { EnvironmentReader } from "../EnvironmentReader.ts"

const POSTGRES = ["postgres:", "postgresql:"]

/** The names of cells to their connection strings; with a pooler also the one past it, with a replica also the replica's. */
const Cells = Schema.Record(
  Schema.String,
  Schema.Union([
    Schema.String,
    Schema.Struct({
      url: Schema.String,
      directUrl: Schema.optionalKey(Schema.String),
      replicaUrl: Schema.optionalKey(Schema.String)
    })
  ])
)
const CELLS =
  'a JSON object of names and connection strings, such as {"eu-1": "postgres://...", "eu-2": "postgres://..."}'
const NAME = /^(?!global$)[a-z][a-z0-9-]{0,39}$/
const NAMES = "small letters, digits and hyphens, at most 40, beginning with a letter, and not global"

/** A cell of the configuration. */
export interface ConfiguredCell {
  readonly name: string
  readonly url: Redacted.Redacted
  readonly directUrl: Redacted.Redacted | undefined
  readonly replicaUrl: Redacted.Redacted | undefined
  /** True for the cell that is also the global database. */
  readonly isGlobal: boolean
}

const isPostgres = (url: string): boolean => POSTGRES.includes(URL.parse(url)?.protocol ?? "")

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface NamedCell {
  readonly name: string
  readonly url: string
  readonly directUrl?: string
  readonly replicaUrl?: string
}

const problemsOf = (cells: ReadonlyArray<NamedCell>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const wrong = cells.flatMap(({ name }) => (NAME.test(name) ? [] : [JSON.stringify(name.slice(0, 60))]))
  if (wrong.length > 0) problems.push(`names of ${NAMES}, not ${wrong.join(", ")}`)
  for (const { directUrl, name, replicaUrl, url } of cells) {
    const shown = name.slice(0, 60)
    if (![url, directUrl ?? url, replicaUrl ?? url].every(isPostgres))
      problems.push(`a URL that begins with postgres:// or postgresql:// for ${shown}`)
    if (cells.some((other) => other.name < name && other.url === url))
      problems.push(`another database for ${shown} than for the other cells`)
  }
  return problems
}

/** The databases of people, if they have several. Problems name a cell, and nothing of its connection string. */
const readCells = (read: EnvironmentReader, global: string | undefined): ReadonlyArray<ConfiguredCell> | undefined => {
  const text = read.text("PARLEY_CELLS")
  if (text === undefined) return undefined
  if (global === undefined) {
    read.problem("DATABASE_URL", "expected the connection string of the global database, since PARLEY_CELLS is set")
  }
  const decoded = Schema.decodeUnknownOption(Cells)(parse(text))
  const cells = Object.entries(Option.getOrElse(decoded, () => ({}))).map(([name, place]): NamedCell => ({
    name,
    ...(typeof place === "string" ? { url: place } : place)
  }))
  const problems = cells.length === 0 ? [CELLS] : problemsOf(cells)
  for (const problem of problems) read.problem("PARLEY_CELLS", `expected ${problem}`)
  return cells.map(({ directUrl, name, replicaUrl, url }) => {
    const isGlobal = url === global
    const own = (value: string | undefined, variable: string) =>
      value !== undefined ? Redacted.make(value) : isGlobal ? read.secret(variable) : undefined
    return {
      name,
      url: Redacted.make(url),
      directUrl: own(directUrl, "DATABASE_DIRECT_URL"),
      replicaUrl: own(replicaUrl, "DATABASE_REPLICA_URL"),
      isGlobal
    }
  })
}

/**
 * The place of the data. A pooler needs a direct URL beside it, for migrations and LISTEN. Histories and reports may be
 * read from a replica.
 */
export const readDatabase = (read: EnvironmentReader) => {
  read.url("DATABASE_URL", POSTGRES)
  read.url("DATABASE_DIRECT_URL", POSTGRES)
  read.url("DATABASE_REPLICA_URL", POSTGRES)
  const text = read.text("DATABASE_URL")
  const url = read.secret("DATABASE_URL")
  const cells = readCells(read, text)
  if (url === undefined) return { _tag: "Embedded" as const }
  const defaults = { host: read.text("PGHOST"), sslMode: read.text("PGSSLMODE") }
  const urls: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["DATABASE_URL", [text ?? ""]],
    ["DATABASE_DIRECT_URL", [read.text("DATABASE_DIRECT_URL") ?? ""]],
    ["DATABASE_REPLICA_URL", [read.text("DATABASE_REPLICA_URL") ?? ""]],
    [
      "PARLEY_CELLS",
      (cells ?? [])
        .flatMap((cell) => [cell.url, cell.directUrl ?? [], cell.replicaUrl ?? []])
        .flat()
        .map(Redacted.value)
    ]
  ]
  const variablesWith = (isSuch: typeof isUnencrypted) =>
    urls.flatMap(([name, each]) => (each.some((one) => isSuch(one, defaults)) ? [name] : []))
  return {
    _tag: "Server" as const,
    url,
    directUrl: read.secret("DATABASE_DIRECT_URL"),
    replicaUrl: read.secret("DATABASE_REPLICA_URL"),
    /** The cells; undefined if all people are in the one database of `url`, which is otherwise the global one. */
    cells,
    /** Variables whose connections cross a network without required TLS. */
    withoutTls: variablesWith(isUnencrypted),
    /** Variables whose connections cross a network to a server whose certificate is not verified. */
    unverified: variablesWith(isUnverified)
  }
}
