import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { defaultCatalog, EVENT_TYPES, makeCatalog, type ParleySettings, type WebhookEndpoint } from "@parley/core"
import { VENDORS } from "@parley/core/adapter"
import { InvalidCatalog, problemsOfSettings, webhookProblems } from "@parley/core/effect"
import { Redacted, Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import { readEmbedding } from "./readEmbedding.ts"
import { readReranking } from "./readReranking.ts"

/** The name of an environment variable. */
const Variable = Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/))

const Webhooks = Schema.Array(
  Schema.Struct({
    url: Schema.String,
    secret: Schema.Union([Variable, Schema.Array(Variable)]),
    events: Schema.optional(Schema.Array(Schema.Literals(EVENT_TYPES)))
  })
)
const WEBHOOKS = `a list of { url, secret, events? }: secret names environment variables, events are ${EVENT_TYPES.join(", ")}`

/** A model vendor that the operator describes in the file: any server that speaks a known vendor's protocol. */
const Vendor = Schema.Struct({
  baseUrl: Schema.String.check(Schema.makeFilter((text) => /^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text))),
  apiKeyVariable: Schema.optionalKey(Variable),
  protocol: Schema.optionalKey(Schema.Literals(["openai", "anthropic"]))
})
const VENDOR =
  '{ "baseUrl": "https://...", "apiKeyVariable": the name of the environment variable with its key, "protocol": openai or anthropic }, the last two where needed'
/**
 * The form of a vendor's name in the catalog, except the names with environment variables of their own and the
 * stand-in's.
 */
const VENDOR_NAME = /^(?!(?:openai|anthropic|offline)$)[a-z0-9][a-z0-9-]{0,49}$/

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads the file that `PARLEY_CONFIG` names. A part that cannot be used is reported and replaced by its default. */
export const readConfigFile = (read: EnvironmentReader, folder: string) => {
  const path = read.text("PARLEY_CONFIG")
  const embeddingKey = read.secret("PARLEY_EMBEDDING_API_KEY")
  const rerankingKey = read.secret("PARLEY_RERANKING_API_KEY")
  const file = path === undefined ? {} : readJson(read, resolve(folder, path))
  const parts = isObject(file) ? file : {}
  const { embedding, replies, reranking, titles, vendors, webhooks, ...more } = parts
  const { lowBalance, webhooksToPrivateNetworks, ...overrides } = more
  return {
    embedding: readEmbedding(read, embedding, embeddingKey),
    reranking: readReranking(read, reranking, rerankingKey),
    /** Hooks and webhooks. */
    events: {
      /** The endpoints that receive signed webhooks; may be empty. */
      webhooks: readWebhooks(read, webhooks),
      allowPrivateNetworks:
        read.part("webhooksToPrivateNetworks", webhooksToPrivateNetworks, Schema.Boolean, "true or false") === true
    },
    /** The vendors that the file describes, by the names that models use. */
    vendors: readVendors(read, vendors),
    /** The settings of services that have the form of objects in the file. */
    settings: readParts(read, { lowBalance, replies, titles: titlesOf(titles) }),
    /** The shipped catalog with the file's overrides. */
    catalog: readCatalog(read, isObject(file) ? overrides : file, isObject(vendors) ? Object.keys(vendors) : [])
  }
}

/** Parses the file. The parser's own message is dropped, because it quotes the text of the file. */
const readJson = (read: EnvironmentReader, path: string): unknown => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    read.problem("PARLEY_CONFIG", "the file cannot be read")
    return {}
  }
  try {
    return JSON.parse(text)
  } catch {
    read.problem("PARLEY_CONFIG", "the file is not JSON")
    return {}
  }
}

/**
 * Reads the catalog. A server can call only vendors whose protocol it knows; models of other vendors are for
 * applications that provide a `ChatModel`.
 */
const readCatalog = (read: EnvironmentReader, overrides: unknown, described: ReadonlyArray<string>) => {
  try {
    const catalog = makeCatalog(overrides)
    const known: ReadonlyArray<string> = [...VENDORS, ...described]
    for (const { id } of catalog.models.filter(({ vendor }) => !known.includes(vendor))) {
      const expected = `expected one of ${known.join(", ")}, or another that "vendors" describes`
      read.problem("PARLEY_CONFIG", `models.${id}.vendor: ${expected}`)
    }
    return catalog
  } catch (error) {
    if (!(error instanceof InvalidCatalog)) throw error
    for (const problem of error.problems) read.problem("PARLEY_CONFIG", problem)
    return defaultCatalog
  }
}

/** Generates chat titles unless the file switches that off, because the server's pages list chats. */
const titlesOf = (part: unknown): unknown => (part === undefined || isObject(part) ? { generate: true, ...part } : part)

/** Settings of core services, unchanged from the file; the core checks them. */
const readParts = (
  read: EnvironmentReader,
  parts: object
): Pick<ParleySettings, "lowBalance" | "replies" | "titles"> => {
  const problems = problemsOfSettings(parts)
  for (const { expected, field } of problems) read.problem("PARLEY_CONFIG", `${field}: expected ${expected}`)
  return problems.length === 0 ? parts : {}
}

/** Reads a secret from an environment variable that the file names. `expected` describes the value in the problem. */
const namedSecret = (read: EnvironmentReader, variable: string, expected: string) => {
  const secret = read.secret(variable)
  if (secret === undefined) read.problem(variable, `expected ${expected}`)
  return secret
}

const readWebhooks = (read: EnvironmentReader, part: unknown): ReadonlyArray<WebhookEndpoint> => {
  const webhooks = (read.part("webhooks", part, Webhooks, WEBHOOKS) ?? []).flatMap(({ events, secret, url }, place) => {
    const names = [secret].flat()
    const secrets = names.flatMap(
      (name) => namedSecret(read, name, `the secret of webhooks[${place}] in PARLEY_CONFIG`) ?? []
    )
    if (secrets.length < names.length) return []
    const problems = webhookProblems({ url, secrets, events })
    for (const problem of problems) read.problem("PARLEY_CONFIG", `webhooks[${place}].${problem}`)
    return problems.length === 0 ? [{ url, secrets, events }] : []
  })
  if (new Set(webhooks.map(({ url }) => url)).size < webhooks.length) {
    read.problem("PARLEY_CONFIG", "webhooks: expected each url once")
  }
  return webhooks
}

/** The key for a server that needs none, because the vendors' protocols require one. */
const NO_KEY = Redacted.make("none")

const readVendors = (read: EnvironmentReader, part: unknown) => {
  const form = "an object, with an entry for each vendor by its name"
  const entries = read.part("vendors", part, Schema.Record(Schema.String, Schema.Unknown), form) ?? {}
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, value]) => {
      if (!VENDOR_NAME.test(name)) {
        const expected = "expected a name of small letters, digits and -, other than openai, anthropic and offline"
        read.problem("PARLEY_CONFIG", `vendors.${name.slice(0, 60)}: ${expected}`)
        return []
      }
      const vendor = read.part(`vendors.${name}`, value, Vendor, VENDOR, "error")
      if (vendor === undefined) return []
      const { apiKeyVariable, baseUrl, protocol = "openai" } = vendor
      const expected = `the key of the vendor ${name}, which names it in PARLEY_CONFIG (vendors.${name})`
      const apiKey = apiKeyVariable === undefined ? NO_KEY : (namedSecret(read, apiKeyVariable, expected) ?? NO_KEY)
      return [[name, { protocol, baseUrl, apiKey }] as const]
    })
  )
}
