import { resolve } from "node:path"
import type { ParleySettings } from "@parley/core"
import { PARSED_DOCUMENT_TYPES } from "@parley/core/adapter"
import { parseSecretKeys, type SecretKey } from "@parley/core/effect"
import { isOrigin, isTrustProxy } from "@parley/adapters-http/settings"
import { Effect, Result } from "effect"
import { type Environment, EnvironmentReader } from "./EnvironmentReader.ts"
import {
  ConfigInvalid,
  type DatabaseConfig,
  LOG_LEVELS,
  type ParleyConfig,
  type PaymentsConfig,
  type TurnstileConfig,
  type VendorConfig,
  WORK_MODES
} from "./ParleyConfig.ts"
import { readCrmProviders } from "./crmSettings.ts"
import { readFiles } from "./filesSettings.ts"
import { isUnencrypted } from "./rules/databaseTls.ts"
import { readConfigFile } from "./readConfigFile.ts"
import { unknownText, unknownVariables } from "./variables/unknownVariables.ts"
import { readSession } from "./session/readSession.ts"

const WEB = ["https:", "http:"]
const POSTGRES = ["postgres:", "postgresql:"]
/** The length leaves room for the suffix of the job queue's schema. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,44}$/i

/** As long as Stripe lists events: one that is deleted before would be fetched again. */
const STRIPE_EVENT_DAYS = 30
const MOST_DAYS = 36_500
const DAY_MS = 86_400_000
/** Longer than nearly all replies take. */
const DRAIN_SECONDS = 120

/** The settings in an environment. */
export interface Settings {
  /** With defaults in place of invalid values. */
  readonly config: ParleyConfig
  /** Settings that cannot be used, without their values. */
  readonly problems: ReadonlyArray<string>
}

/**
 * The configuration in the environment, or all of its problems. Relative paths start at `folder`. `refusals` returns
 * further reasons against a configuration, which are reported together with the rest.
 */
export const readConfig = (
  environment: Environment,
  folder: string,
  refusals: (config: ParleyConfig) => ReadonlyArray<string> = () => []
): Effect.Effect<ParleyConfig, ConfigInvalid> =>
  Effect.suspend(() => {
    const { config, problems } = readSettings(environment, folder)
    const all = [...problems, ...refusals(config)]
    if (all.length === 0) return Effect.succeed(config)
    // A missing variable may have been set under a misspelt name.
    const unknown = config.unknownVariables.map((each) => `${each.name}: ${unknownText(each)}`)
    return Effect.fail(new ConfigInvalid({ problems: [...all, ...unknown] }))
  })

/** The settings in the environment, and all of their problems. Relative paths start at `folder`. */
export const readSettings = (environment: Environment, folder: string): Settings => {
  const read = new EnvironmentReader(environment)
  const { apiKeys, catalog, embedding, events, settings, vendors } = readConfigFile(read, folder)
  const config: Omit<ParleyConfig, "unknownVariables"> = {
    production: read.text("NODE_ENV") === "production",
    host: read.text("HOST") ?? "127.0.0.1",
    port: read.integer("PORT", 0, 65_535) ?? 3000,
    baseUrl: read.url("PARLEY_BASE_URL", WEB)?.replace(/\/+$/, ""),
    trustProxy: trustProxy(read),
    database: database(read),
    databaseSchema: databaseSchema(read),
    dataFolder: resolve(folder, read.text("PARLEY_DATA_DIR") ?? ".parley"),
    catalog,
    embedding,
    exactSearchPassages: read.integer("PARLEY_EXACT_SEARCH_PASSAGES", 0, 1_000_000_000),
    events,
    apiKeys,
    allowedOrigins: allowedOrigins(read),
    openai: vendor(read, "OPENAI"),
    anthropic: vendor(read, "ANTHROPIC"),
    vendors,
    settings: { ...settings, ...serviceSettings(read) },
    payments: payments(read),
    turnstile: turnstile(read),
    crmProviders: readCrmProviders(read),
    session: readSession(read),
    files: readFiles(read),
    ocr: ocr(read, folder),
    cronSecret: cronSecret(read),
    reset: read.choice("PARLEY_RESET", WORK_MODES) ?? "auto",
    catchUp: read.choice("PARLEY_CATCH_UP", WORK_MODES) ?? "auto",
    encryptionKeys: encryptionKeys(read),
    drainSeconds: read.integer("PARLEY_DRAIN_SECONDS", 0, 3_600) ?? DRAIN_SECONDS,
    firstByteSeconds: read.integer("PARLEY_FIRST_BYTE_SECONDS", 1, 600),
    allowStandIns: read.flag("PARLEY_ALLOW_STAND_INS"),
    logLevel: read.choice("LOG_LEVEL", LOG_LEVELS) ?? "info"
  }
  return { config: { ...config, unknownVariables: unknownVariables(read.set, read.known) }, problems: read.problems }
}

const database = (read: EnvironmentReader): DatabaseConfig => {
  read.url("DATABASE_URL", POSTGRES)
  read.url("DATABASE_DIRECT_URL", POSTGRES)
  const url = read.secret("DATABASE_URL")
  if (url === undefined) return { _tag: "Embedded" }
  const defaults = { host: read.text("PGHOST"), sslMode: read.text("PGSSLMODE") }
  const withoutTls = ["DATABASE_URL", "DATABASE_DIRECT_URL"].filter((name) => {
    const connectionString = read.text(name)
    return connectionString !== undefined && isUnencrypted(connectionString, defaults)
  })
  return { _tag: "Server", url, directUrl: read.secret("DATABASE_DIRECT_URL"), withoutTls }
}

const databaseSchema = (read: EnvironmentReader): string => {
  const name = read.text("PARLEY_DB_SCHEMA") ?? "parley"
  if (!SCHEMA_NAME.test(name) || /^pg_/i.test(name)) {
    read.problem("PARLEY_DB_SCHEMA", 'expected 1 to 45 letters, digits and underscores, not beginning with "pg_"')
  }
  return name
}

/** Origins to the letter, as browsers send them. */
const allowedOrigins = (read: EnvironmentReader): ReadonlyArray<string> => {
  const origins = (read.text("PARLEY_ALLOWED_ORIGINS") ?? "").split(",").flatMap((each) => each.trim() || [])
  if (origins.every(isOrigin)) return origins
  read.problem(
    "PARLEY_ALLOWED_ORIGINS",
    "expected origins such as https://app.example.com, with nothing after the host"
  )
  return []
}

/** Trusting every proxy would let any client choose the address it is seen under. */
const trustProxy = (read: EnvironmentReader): number | string | undefined => {
  const value = read.text("PARLEY_TRUST_PROXY")
  if (value === undefined) return undefined
  if (/^\d{1,3}$/.test(value)) return Number(value)
  if (isTrustProxy(value)) return value
  read.problem(
    "PARLEY_TRUST_PROXY",
    /\/0+(?:,|$)/.test(value)
      ? "expected the addresses of proxies, not of everybody: any client could then choose the address it is seen under. Where the proxy's address changes, set how many proxies stand in front"
      : "expected the number of proxies in front, or their addresses"
  )
  return undefined
}

const vendor = (read: EnvironmentReader, prefix: "OPENAI" | "ANTHROPIC"): VendorConfig | undefined => {
  const apiKey = read.secret(`${prefix}_API_KEY`)
  const baseUrl = read.url(`${prefix}_BASE_URL`, WEB)
  if (apiKey !== undefined) return { apiKey, baseUrl }
  if (baseUrl !== undefined) {
    read.problem(
      `${prefix}_API_KEY`,
      `expected the key of the server at ${prefix}_BASE_URL, or any word where it wants none`
    )
  }
  return undefined
}

const payments = (read: EnvironmentReader): PaymentsConfig | undefined => {
  const secretKey = read.secret("STRIPE_SECRET_KEY")
  const webhookSecret = read.secret("STRIPE_WEBHOOK_SECRET")
  const apiUrl = read.url("STRIPE_API_URL", WEB)
  if (secretKey !== undefined) return { secretKey, webhookSecret, apiUrl }
  for (const [name, value] of [
    ["STRIPE_WEBHOOK_SECRET", webhookSecret],
    ["STRIPE_API_URL", apiUrl]
  ] as const) {
    if (value !== undefined)
      read.problem("STRIPE_SECRET_KEY", `expected the account's secret key, since ${name} is set`)
  }
  return undefined
}

/** Both keys of one widget of Cloudflare Turnstile: each is useless without the other. */
const turnstile = (read: EnvironmentReader): TurnstileConfig | undefined => {
  const siteKey = read.text("TURNSTILE_SITE_KEY")
  const secretKey = read.secret("TURNSTILE_SECRET_KEY")
  if (siteKey !== undefined && secretKey !== undefined) return { siteKey, secretKey }
  if (siteKey !== undefined)
    read.problem("TURNSTILE_SECRET_KEY", "expected the secret key, since TURNSTILE_SITE_KEY is set")
  if (secretKey !== undefined)
    read.problem("TURNSTILE_SITE_KEY", "expected the site key, since TURNSTILE_SECRET_KEY is set")
  return undefined
}

/** A text that scripts write if a variable of theirs is unset is treated as a mistake, not as a secret. */
const cronSecret = (read: EnvironmentReader) => {
  if (/^(undefined|null)$/i.test(read.text("CRON_SECRET") ?? "")) {
    read.problem("CRON_SECRET", "expected a secret, for example 32 random characters")
  }
  return read.secret("CRON_SECRET")
}

/** Keys for secrets, parsed by the core; their problems contain nothing of them. */
const encryptionKeys = (read: EnvironmentReader): ReadonlyArray<SecretKey> => {
  const text = read.text("PARLEY_ENCRYPTION_KEY")
  if (text === undefined) return []
  const keys = parseSecretKeys(text)
  if (Result.isSuccess(keys)) return keys.success
  for (const problem of keys.failure.problems) read.problem("PARLEY_ENCRYPTION_KEY", problem)
  return []
}

/** Languages by the names of their data: `eng`, `deu`, `chi_sim`. */
const LANGUAGE = /^[a-z]{3}(?:_[a-z]{2,8})*$/i

const ocr = (read: EnvironmentReader, folder: string): ParleyConfig["ocr"] => {
  const data = read.text("PARLEY_OCR_DATA")
  const names = read.text("PARLEY_OCR_LANGUAGES") ?? "eng"
  if (data === undefined) return undefined
  const [first = "eng", ...more] = names.split(",").map((name) => name.trim())
  if (![first, ...more].every((name) => LANGUAGE.test(name))) {
    read.problem("PARLEY_OCR_LANGUAGES", "expected names of language data, such as eng,deu")
  }
  return { dataFolder: resolve(folder, data), languages: [first, ...more] }
}

/** Settings of the core's services that are variables. */
const serviceSettings = (read: EnvironmentReader): ParleySettings => ({
  uploads: {
    maxBytes: read.integer("PARLEY_UPLOAD_MAX_BYTES", 1, 1024 ** 3),
    types: read.list("PARLEY_UPLOAD_TYPES", PARSED_DOCUMENT_TYPES)
  },
  holdTtlMs: inMilliseconds(read.integer("PARLEY_HOLD_TTL", 1, 86_400), 1_000),
  paymentRetention: {
    doneMs: inMilliseconds(read.integer("PARLEY_PAYMENT_EVENT_DAYS", 1, MOST_DAYS), DAY_MS),
    unmatchedMs: inMilliseconds(read.integer("PARLEY_UNMATCHED_EVENT_DAYS", STRIPE_EVENT_DAYS + 1, MOST_DAYS), DAY_MS)
  }
})

const inMilliseconds = (count: number | undefined, unit: number) => (count === undefined ? undefined : count * unit)
