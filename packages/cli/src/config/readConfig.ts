import { resolve } from "node:path"
import { parseSecretKeys, type SecretKey } from "@parley/core/effect"
import { clamAvPlace } from "@parley/adapters-documents"
import { isOrigin, isTrustProxy } from "@parley/adapters-http/settings"
import { parseS3Url, type S3Options } from "@parley/adapters-s3"
import { Effect, Result, Schema } from "effect"
import { readCrmProviders } from "./crmSettings.ts"
import { type Environment, EnvironmentReader } from "./EnvironmentReader.ts"
import { passedSockets } from "./passedSockets.ts"
import { readConfigFile } from "./readConfigFile.ts"
import { readDatabase } from "./database/readDatabase.ts"
import { readMail } from "./readMail.ts"
import { withConvertedTypes } from "./convertedTypes.ts"
import { readOtlp } from "./readOtlp.ts"
import { readSession } from "./readSession.ts"
import { serviceSettings } from "./services/serviceSettings.ts"
import { unknownText, unknownVariables } from "./unknownVariables.ts"

const WEB = ["https:", "http:"]
/** The length leaves room for the suffix of the job queue's schema. */
const SCHEMA_NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,44}$/i
/** Languages by the names of their data: `eng`, `deu`, `chi_sim`. */
const LANGUAGES = /^ *[a-z]{3}(?:_[a-z]{2,8})* *(?:, *[a-z]{3}(?:_[a-z]{2,8})* *)*$/i
/** Longer than nearly all replies take. */
const DRAIN_SECONDS = 120

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
/** Modes of the access log. */
const LOG_MODES = ["auto", "on", "off"] as const
/** Modes of background work: `auto` runs it, `off` does not. */
const WORK_MODES = ["auto", "off"] as const

/** Settings that cannot be used, all of them, without their values. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  problems: Schema.Array(Schema.String)
}) {
  readonly code = "config_invalid"
  override get message() {
    const [first, ...more] = this.problems
    if (more.length === 0) return `The configuration is not usable: ${first}.`
    return ["The configuration is not usable:", ...this.problems.map((problem) => `  - ${problem}`)].join("\n")
  }
}

/** Everything the environment decides, read once: the result of `readEnvironment`, which is where a setting is added. */
export type ParleyConfig = ReturnType<typeof readEnvironment> & {
  /** Variables that look like settings and are none. */
  readonly unknownVariables: ReturnType<typeof unknownVariables>
}

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
  const config = readEnvironment(read, folder)
  return { config: { ...config, unknownVariables: unknownVariables(read.set, read.known) }, problems: read.problems }
}

const readEnvironment = (read: EnvironmentReader, folder: string) => {
  const file = readConfigFile(read, folder)
  const mail = readMail(read)
  const program = read.text("PARLEY_LIBREOFFICE")
  const libreOffice = program === undefined ? undefined : resolve(folder, program)
  return {
    ...file,
    production: read.text("NODE_ENV") === "production",
    host: read.text("HOST") ?? "127.0.0.1",
    /** 0 takes any free port. */
    port: read.integer("PORT", 0, 65_535) ?? 3000,
    /** The sockets that systemd passes; the server listens on it in place of host and port. */
    passedSockets: passedSockets(read),
    /** The port of `/metrics` and of a worker's `/healthz`; undefined exports no metrics to Prometheus. */
    metricsPort: read.integer("PARLEY_METRICS_PORT", 0, 65_535),
    /** Where traces and metrics are sent; undefined if nowhere. */
    otlp: readOtlp(read),
    isPortSet: read.text("PORT") !== undefined,
    baseUrl: read.url("PARLEY_BASE_URL", WEB)?.replace(/\/+$/, ""),
    widgetOrigin: widgetOrigin(read),
    trustProxy: trustProxy(read),
    database: readDatabase(read),
    databaseSchema:
      read.valid("PARLEY_DB_SCHEMA", '1 to 45 letters, digits and underscores, not beginning with "pg_"', (name) =>
        SCHEMA_NAME.test(name)
      ) ?? "parley",
    /** The most connections of this process to a database server; undefined uses the adapter's default. */
    databasePoolMax: read.integer("PARLEY_DB_POOL_MAX", 2, 1_000),
    dataFolder: resolve(folder, read.text("PARLEY_DATA_DIR") ?? ".parley"),
    backups: backups(read, folder),
    /** The most passages that a search by meaning compares one by one; undefined uses the adapter's default. */
    exactSearchPassages: read.integer("PARLEY_EXACT_SEARCH_PASSAGES", 0, 1_000_000_000),
    allowedOrigins: allowedOrigins(read),
    openai: vendor(read, "OPENAI"),
    anthropic: vendor(read, "ANTHROPIC"),
    /** The settings of the core's services. */
    settings: withConvertedTypes({ ...file.settings, ...serviceSettings(read, folder) }, libreOffice, read),
    payments: payments(read),
    turnstile: turnstile(read),
    crmProviders: readCrmProviders(read),
    mail,
    session: readSession(read, mail !== undefined),
    files: files(read),
    /** The address of clamd, which scans every uploaded file; undefined if none does. */
    clamAv: read.valid("PARLEY_CLAMAV_URL", "tcp://<host>:3310 or unix:/run/clamav/clamd.ctl", isClamAv),
    ocr: ocr(read, folder),
    /** The path of LibreOffice's program, which converts doc, xls and ppt; undefined if they are not read. */
    libreOffice,
    /** The secret of schedules; without it they may not call. */
    cronSecret: cronSecret(read),
    /** If background work begins due periods: `auto` does if no schedule can call the route. */
    reset: read.choice("PARLEY_RESET", WORK_MODES) ?? "auto",
    /** If background work fetches missed payment events: `auto` does if a payment provider is set up. */
    catchUp: read.choice("PARLEY_CATCH_UP", WORK_MODES) ?? "auto",
    encryptionKeys: encryptionKeys(read),
    ...stopping(read),
    /** Longest silence of a vendor before the first byte of a reply; undefined uses the default. */
    firstByteSeconds: read.integer("PARLEY_FIRST_BYTE_SECONDS", 1, 600),
    allowStandIns: read.flag("PARLEY_ALLOW_STAND_INS"),
    /** If each request is logged: `auto` logs them in production. */
    logRequests: read.choice("PARLEY_LOG_REQUESTS", LOG_MODES) ?? "auto",
    logLevel: read.choice("LOG_LEVEL", LOG_LEVELS) ?? "info"
  }
}

const stopping = (read: EnvironmentReader) => ({
  /** Time for which the server takes requests after it was asked to stop, while it reports that it is not ready. */
  shutdownDelaySeconds: read.integer("PARLEY_SHUTDOWN_DELAY", 0, 600) ?? 0,
  /** Time that running requests and replies have once the server stops. */
  drainSeconds: read.integer("PARLEY_DRAIN_SECONDS", 0, 3_600) ?? DRAIN_SECONDS
})

/** Where the operator's backups are; undefined if the operator has not said so. */
const backups = (read: EnvironmentReader, folder: string) => {
  const place = read.text("PARLEY_BACKUPS")
  if (place === undefined) return undefined
  return place === "elsewhere"
    ? { _tag: "Elsewhere" as const }
    : { _tag: "Here" as const, path: resolve(folder, place) }
}

const isClamAv = (url: string): boolean => clamAvPlace(url) !== undefined

/** Origins to the letter, as browsers send them. */
const allowedOrigins = (read: EnvironmentReader): ReadonlyArray<string> => {
  const origins = (text: string) => text.split(",").flatMap((each) => each.trim() || [])
  const expected = "origins such as https://app.example.com, with nothing after the host"
  return origins(read.valid("PARLEY_ALLOWED_ORIGINS", expected, (text) => origins(text).every(isOrigin)) ?? "")
}

/** The origin for visitors of bots: another one than that of the base URL, so that its pages reach no session. */
const widgetOrigin = (read: EnvironmentReader): string | undefined => {
  const base = URL.parse(read.text("PARLEY_BASE_URL") ?? "")?.origin
  const expected =
    "an origin such as https://widget.example.com, with nothing after the host, other than that of PARLEY_BASE_URL, which has to be set"
  const isUsable = (text: string) => isOrigin(text) && base !== undefined && text !== base && isSafe(new URL(text))
  return read.valid("PARLEY_WIDGET_ORIGIN", expected, isUsable)
}

/** Encrypted, or on this machine, also by one of the names that belong to it (RFC 6761, 6.3). */
const isSafe = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/**
 * Express' `trust proxy`: the number of proxies in front, or their addresses. Trusting every proxy would let any client
 * choose the address it is seen under.
 */
const trustProxy = (read: EnvironmentReader): number | string | undefined => {
  const expected = /\/0+(?:,|$)/.test(read.text("PARLEY_TRUST_PROXY") ?? "")
    ? "the addresses of proxies, not of everybody: any client could then choose the address it is seen under. Where the proxy's address changes, set how many proxies stand in front"
    : "the number of proxies in front, or their addresses"
  const isNumber = (text: string) => /^\d{1,3}$/.test(text)
  const value = read.valid("PARLEY_TRUST_PROXY", expected, (text) => isNumber(text) || isTrustProxy(text))
  return value !== undefined && isNumber(value) ? Number(value) : value
}

const vendor = (read: EnvironmentReader, prefix: "OPENAI" | "ANTHROPIC") => {
  const apiKey = read.secret(`${prefix}_API_KEY`)
  const baseUrl = read.url(`${prefix}_BASE_URL`, WEB)
  if (apiKey !== undefined) return { apiKey, baseUrl }
  const expected = `expected the key of the server at ${prefix}_BASE_URL, or any word where it wants none`
  if (baseUrl !== undefined) read.problem(`${prefix}_API_KEY`, expected)
  return undefined
}

/** The payment provider; undefined if nothing is sold. Without the webhook secret, no event is accepted. */
const payments = (read: EnvironmentReader) => {
  const secretKey = read.secret("STRIPE_SECRET_KEY")
  const webhookSecret = read.secret("STRIPE_WEBHOOK_SECRET")
  const apiUrl = read.url("STRIPE_API_URL", WEB)
  if (secretKey !== undefined) return { secretKey, webhookSecret, apiUrl }
  for (const [name, value] of Object.entries({ STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: apiUrl })) {
    const expected = `expected the account's secret key, since ${name} is set`
    if (value !== undefined) read.problem("STRIPE_SECRET_KEY", expected)
  }
  return undefined
}

/** Both keys of one widget of Cloudflare Turnstile: each is useless without the other. */
const turnstile = (read: EnvironmentReader) => {
  const siteKey = read.text("TURNSTILE_SITE_KEY")
  const secretKey = read.secret("TURNSTILE_SECRET_KEY")
  if (siteKey !== undefined && secretKey !== undefined) return { siteKey, secretKey }
  if (siteKey !== undefined) {
    read.problem("TURNSTILE_SECRET_KEY", "expected the secret key, since TURNSTILE_SITE_KEY is set")
  }
  if (secretKey !== undefined) {
    read.problem("TURNSTILE_SITE_KEY", "expected the site key, since TURNSTILE_SECRET_KEY is set")
  }
  return undefined
}

/** The bucket of uploaded files; undefined stores them in the database. */
const files = (read: EnvironmentReader): S3Options | undefined => {
  const expected = "s3://<bucket>[/<prefix>][?region=<region>&endpoint=<https address>], without credentials in it"
  const url = read.text("PARLEY_FILES_URL")
  if (url === undefined) return undefined
  const place = parseS3Url(read.valid("PARLEY_FILES_URL", expected, (text) => parseS3Url(text) !== undefined) ?? "")
  const accessKeyId = read.text("AWS_ACCESS_KEY_ID")
  const secretAccessKey = read.secret("AWS_SECRET_ACCESS_KEY")
  const credentials = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
  for (const [name, value] of Object.entries(credentials)) {
    if (value === undefined) read.problem(name, "expected the credentials of the bucket in PARLEY_FILES_URL")
  }
  if (place === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { ...place, accessKeyId, secretAccessKey, sessionToken: read.secret("AWS_SESSION_TOKEN") }
}

/** A text that scripts write if a variable of theirs is unset is treated as a mistake, not as a secret. */
const cronSecret = (read: EnvironmentReader) => {
  const expected = "a secret, for example 32 random characters"
  read.valid("CRON_SECRET", expected, (text) => !/^(undefined|null)$/i.test(text))
  return read.secret("CRON_SECRET")
}

/** Keys that encrypt tokens of third parties; the first one encrypts. Their problems contain nothing of them. */
const encryptionKeys = (read: EnvironmentReader): ReadonlyArray<SecretKey> => {
  const text = read.text("PARLEY_ENCRYPTION_KEY")
  if (text === undefined) return []
  const keys = parseSecretKeys(text)
  if (Result.isSuccess(keys)) return keys.success
  for (const problem of keys.failure.problems) read.problem("PARLEY_ENCRYPTION_KEY", problem)
  return []
}

/** The folder of the language data for scans, and the languages; undefined if scans are not read. */
const ocr = (read: EnvironmentReader, folder: string) => {
  const data = read.text("PARLEY_OCR_DATA")
  const expected = "names of language data, such as eng,deu"
  if (data === undefined) return void read.text("PARLEY_OCR_LANGUAGES")
  const names = read.valid("PARLEY_OCR_LANGUAGES", expected, (text) => LANGUAGES.test(text)) ?? "eng"
  const [first = "eng", ...more] = names.split(",").map((name) => name.trim())
  return { dataFolder: resolve(folder, data), languages: [first, ...more] as const }
}
