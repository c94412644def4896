import type { OAuthCrmOptions } from "@parley/adapters-crm"
import type { ApiKey } from "@parley/adapters-http/settings"
import type { S3Options } from "@parley/adapters-s3"
import type { CatalogData, ParleySettings, WebhookEndpoint } from "@parley/core"
import type { SecretKey } from "@parley/core/effect"
import { type Redacted, Schema } from "effect"
import type { SessionConfig } from "./session/SessionConfig.ts"
import type { UnknownVariable } from "./variables/unknownVariables.ts"

/** The place of the data. */
export type DatabaseConfig =
  | { readonly _tag: "Embedded" }
  | {
      readonly _tag: "Server"
      readonly url: Redacted.Redacted
      /** Past a connection pooler, for migrations and LISTEN. */
      readonly directUrl: Redacted.Redacted | undefined
      /** Variables whose connections cross a network without required TLS. */
      readonly withoutTls: ReadonlyArray<string>
    }

export interface VendorConfig {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: string | undefined
}

export const VENDOR_PROTOCOLS = ["openai", "anthropic"] as const

/** A vendor that the operator describes: any server that speaks the protocol of one that is known. */
export interface OwnVendorConfig extends VendorConfig {
  readonly protocol: (typeof VENDOR_PROTOCOLS)[number]
  readonly baseUrl: string
}

/** The embedder of documents and questions. */
export type EmbeddingConfig = RemoteEmbeddingConfig | LocalEmbeddingConfig

/** A server that speaks OpenAI's protocol. */
export interface RemoteEmbeddingConfig {
  readonly _tag: "Remote"
  readonly apiKey: Redacted.Redacted
  /** Another server than OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly model: string
  /** Dimensions of the model's embeddings; undefined if the model is known. */
  readonly dimensions: number | undefined
  /** True if the dimensions are sent in requests. */
  readonly isAsked: boolean
  /** The most texts in a request; default: the protocol's limit. */
  readonly batch: number | undefined
  /** The price of a million tokens, for estimates; undefined if it is not configured. */
  readonly usdPerMillionTokens: number | undefined
  /** Weight of nearness beside words; the default suits a weak model. */
  readonly weight: number | undefined
  /** The least cosine at which a passage is relevant, independent of its words. */
  readonly relevantFrom: number | undefined
}

/** A model on this machine, run by transformers.js as the operator has installed it. */
export interface LocalEmbeddingConfig {
  readonly _tag: "Local"
  readonly model: string
  /** The folder of the models' files. */
  readonly models: string
  /** The folder in which `@huggingface/transformers` is installed. */
  readonly installedIn: string
  readonly dimensions: number
  readonly pooling: "mean" | "cls" | undefined
  readonly precision: string | undefined
  readonly weight: number | undefined
  readonly relevantFrom: number | undefined
  /** A local model is free. */
  readonly usdPerMillionTokens: 0
}

/** The payment provider. */
export interface PaymentsConfig {
  readonly secretKey: Redacted.Redacted
  /** The secret that signs the provider's events; without it, no event is accepted. */
  readonly webhookSecret: Redacted.Redacted | undefined
  /** Another server that speaks Stripe's protocol. */
  readonly apiUrl: string | undefined
}

/** The challenge that visitors of bots solve who send many messages. */
export interface TurnstileConfig {
  /** Public: the widget shows the challenge with it. */
  readonly siteKey: string
  readonly secretKey: Redacted.Redacted
}

/** Settings of hooks and webhooks. */
export interface EventsConfig {
  /** Endpoints of signed webhooks; may be empty. */
  readonly webhooks: ReadonlyArray<WebhookEndpoint>
  /** Webhooks may be sent into private networks. */
  readonly allowPrivateNetworks: boolean
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
export type LogLevelName = (typeof LOG_LEVELS)[number]

/** Modes of background work: `auto` runs it, `off` does not. */
export const WORK_MODES = ["auto", "off"] as const
export type WorkMode = (typeof WORK_MODES)[number]

/** Everything the environment decides, read once. */
export interface ParleyConfig {
  readonly production: boolean
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly baseUrl: string | undefined
  /** Express' `trust proxy`: the number of proxies in front, or their addresses. */
  readonly trustProxy: number | string | undefined
  readonly database: DatabaseConfig
  readonly databaseSchema: string
  /** Absolute. */
  readonly dataFolder: string
  readonly catalog: CatalogData
  /** Undefined if documents are searched by words only. */
  readonly embedding: EmbeddingConfig | undefined
  /**
   * The most passages that a search by meaning compares one by one before it uses an index; undefined uses the
   * adapter's default.
   */
  readonly exactSearchPassages: number | undefined
  readonly events: EventsConfig
  /** Keys with which services call; perhaps none. */
  readonly apiKeys: ReadonlyArray<ApiKey>
  /** Origins whose pages may call for signed-in people; may be empty. */
  readonly allowedOrigins: ReadonlyArray<string>
  readonly openai: VendorConfig | undefined
  readonly anthropic: VendorConfig | undefined
  /** Further vendors of models, by the names that models use. */
  readonly vendors: Readonly<Record<string, OwnVendorConfig>>
  /** The settings of the core's services. */
  readonly settings: ParleySettings
  /** Undefined if nothing is sold. */
  readonly payments: PaymentsConfig | undefined
  /** Undefined if visitors of bots solve no challenge. */
  readonly turnstile: TurnstileConfig | undefined
  /** The bucket of uploaded files; undefined stores them in the database. */
  readonly files: S3Options | undefined
  /** The CRM providers that bots can be connected to; perhaps none. */
  readonly crmProviders: ReadonlyArray<OAuthCrmOptions>
  readonly session: SessionConfig
  /** The folder of the language data for scans, and the languages; undefined if scans are not read. */
  readonly ocr:
    | { readonly dataFolder: string; readonly languages: readonly [string, ...ReadonlyArray<string>] }
    | undefined
  /** The secret of schedules; without it they may not call. */
  readonly cronSecret: Redacted.Redacted | undefined
  /** If background work begins due periods: `auto` does if no schedule can call the route. */
  readonly reset: WorkMode
  /** Whether background work fetches missed payment events: `auto` does if a payment provider is set up. */
  readonly catchUp: WorkMode
  /** Keys that encrypt tokens of third parties; the first one encrypts. Empty if none is set. */
  readonly encryptionKeys: ReadonlyArray<SecretKey>
  /** How long running requests and replies may take once the server stops, in seconds. */
  readonly drainSeconds: number
  /** Longest silence of a vendor before the first byte of a reply, in seconds; undefined uses the default. */
  readonly firstByteSeconds: number | undefined
  /** Stand-ins may run in production. */
  readonly allowStandIns: boolean
  readonly logLevel: LogLevelName
  /** Variables that look like settings and are none. */
  readonly unknownVariables: ReadonlyArray<UnknownVariable>
}

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
