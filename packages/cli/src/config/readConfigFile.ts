import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { ApiKey } from "@parley/adapters-http/settings"
import { type CatalogData, defaultCatalog, makeCatalog, type ParleySettings } from "@parley/core"
import { InvalidCatalog, problemsOfSettings } from "@parley/core/effect"
import { VENDORS } from "@parley/core/adapter"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import type { EmbeddingConfig, EventsConfig, ParleyConfig } from "./ParleyConfig.ts"
import { readApiKeys } from "./readApiKeys.ts"
import { readEmbedding } from "./readEmbedding.ts"
import { NO_EVENTS, readEvents } from "./readEvents.ts"
import { readVendors } from "./readVendors.ts"

/** The contents of the file named by `PARLEY_CONFIG`. */
export interface ConfigFile {
  /** The shipped catalog with the file laid over it. */
  readonly catalog: CatalogData
  readonly embedding: EmbeddingConfig | undefined
  readonly events: EventsConfig
  /** Keys with which services call; perhaps none. */
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly vendors: ParleyConfig["vendors"]
  /** The settings of the services that are objects. */
  readonly settings: Pick<ParleySettings, "lowBalance" | "replies">
}

const NOTHING: ConfigFile = {
  catalog: defaultCatalog,
  embedding: undefined,
  events: NO_EVENTS,
  apiKeys: [],
  vendors: {},
  settings: {}
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const readConfigFile = (read: EnvironmentReader, folder: string): ConfigFile => {
  const path = read.text("PARLEY_CONFIG")
  const embeddingKey = read.secret("PARLEY_EMBEDDING_API_KEY")
  if (path === undefined) return NOTHING
  const file = readJson(read, resolve(folder, path))
  if (file === undefined) return NOTHING
  const {
    apiKeys: keys,
    embedding: part,
    replies,
    vendors: described,
    lowBalance,
    webhooks,
    webhooksToPrivateNetworks,
    ...overrides
  } = isObject(file.value) ? file.value : {}
  const embedding = readEmbedding(read, part, embeddingKey)
  const events = readEvents(read, { webhooks, webhooksToPrivateNetworks })
  const apiKeys = readApiKeys(read, keys)
  const vendors = readVendors(read, described)
  const settings = readParts(read, { lowBalance, replies })
  try {
    return {
      catalog: strangersRefused(makeCatalog(isObject(file.value) ? overrides : file.value), described),
      embedding,
      events,
      apiKeys,
      vendors,
      settings
    }
  } catch (error) {
    if (!(error instanceof InvalidCatalog)) throw error
    for (const problem of error.problems) read.problem("PARLEY_CONFIG", problem)
    return NOTHING
  }
}

/** Settings of the core as they stand in the file, which the core checks. */
const readParts = (read: EnvironmentReader, parts: object): ConfigFile["settings"] => {
  const problems = problemsOfSettings(parts)
  for (const { expected, field } of problems) read.problem("PARLEY_CONFIG", `${field}: expected ${expected}`)
  return problems.length === 0 ? parts : {}
}

/** Parses the file; drops the parser's message, because it quotes the text. */
const readJson = (read: EnvironmentReader, path: string): { readonly value: unknown } | undefined => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    read.problem("PARLEY_CONFIG", "the file cannot be read")
    return undefined
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    read.problem("PARLEY_CONFIG", "the file is not JSON")
    return undefined
  }
}

/**
 * A server supports only vendors whose protocol it knows; models of others are for applications, which provide a
 * `ChatModel`.
 */
const strangersRefused = (catalog: CatalogData, described: unknown): CatalogData => {
  const known: ReadonlyArray<string> = [...VENDORS, ...(isObject(described) ? Object.keys(described) : [])]
  const problems = catalog.models
    .filter(({ vendor }) => !known.includes(vendor))
    .map(({ id }) => `models.${id}.vendor: expected one of ${known.join(", ")}, or another that "vendors" describes`)
  if (problems.length > 0) throw new InvalidCatalog({ problems })
  return catalog
}
