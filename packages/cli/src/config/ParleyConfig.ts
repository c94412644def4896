import type { OAuthCrmOptions } from "@parley/adapters-crm"
import type { ApiKey } from "@parley/adapters-http/settings"
import type { S3Options } from "@parley/adapters-s3"
import type { CatalogData, LowBalanceSetting, UploadLimitsData, WebhookEndpoint } from "@parley/core"
import type { SecretKey } from "@parley/core/effect"
import { type Redacted, Schema } from "effect"
import type { RepliesConfig } from "./RepliesConfig.ts"
import type { SessionConfig } from "./session/SessionConfig.ts"
import type { UnknownVariable } from "./variables/unknownVariables.ts"

/** Where the data lives. */
export type DatabaseConfig =
  | { readonly _tag: "Embedded" }
  | {
      readonly _tag: "Server"
      readonly url: Redacted.Redacted
      /** Past a connection pooler, for migrations and LISTEN. */
      readonly directUrl: Redacted.Redacted | undefined
      /** The variables whose connections cross a network without TLS being asked for. */
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

/** Who embeds documents and questions. */
export type EmbeddingConfig = RemoteEmbeddingConfig | LocalEmbeddingConfig

/** A server that speaks OpenAI's protocol. */
export interface RemoteEmbeddingConfig {
  readonly _tag: "Remote"
  readonly apiKey: Redacted.Redacted
  /** Another server than OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly model: string
  /** How many numbers the model gives for a text; undefined where that is known of it. */
  readonly dimensions: number | undefined
  /** The model is told how many are wanted. */
  readonly isAsked: boolean
  /** Texts in a request at most; as many as the protocol allows unless given. */
  readonly batch: number | undefined
  /** What a million tokens cost, for estimates; undefined where it is not told. */
  readonly usdPerMillionTokens: number | undefined
  /** How much nearness counts beside words; what is right for a weak model unless given. */
  readonly weight: number | undefined
  /** The least cosine at which a passage is relevant whatever its words are. */
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
  /** Nobody is paid. */
  readonly usdPerMillionTokens: 0
}

/** Who takes payments. */
export interface PaymentsConfig {
  readonly secretKey: Redacted.Redacted
  /** What the provider signs its events with; without it none is taken. */
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

/** What other services are told of. */
export interface EventsConfig {
  /** Where signed webhooks are sent to; perhaps nowhere. */
  readonly webhooks: ReadonlyArray<WebhookEndpoint>
  /** Below what a balance is low; the core's default where undefined. */
  readonly lowBalance: LowBalanceSetting | undefined
  /** Webhooks may be sent into private networks. */
  readonly allowPrivateNetworks: boolean
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
export type LogLevelName = (typeof LOG_LEVELS)[number]

/** Whether background work does something by itself. */
export const WORK_MODES = ["auto", "off"] as const
export type WorkMode = (typeof WORK_MODES)[number]

/** Everything the environment decides, read once. */
export interface ParleyConfig {
  readonly production: boolean
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly baseUrl: string | undefined
  /** What Express calls `trust proxy`: how many proxies stand in front, or their addresses. */
  readonly trustProxy: number | string | undefined
  readonly database: DatabaseConfig
  readonly databaseSchema: string
  /** Absolute. */
  readonly dataFolder: string
  readonly catalog: CatalogData
  /** Undefined where documents are searched by words alone. */
  readonly embedding: EmbeddingConfig | undefined
  /** How many passages a search by meaning compares one by one at most, where an index could choose; undefined takes the adapter's default. */
  readonly exactSearchPassages: number | undefined
  readonly events: EventsConfig
  /** Keys with which services call; perhaps none. */
  readonly apiKeys: ReadonlyArray<ApiKey>
  /** Origins whose pages may call for who is signed in; perhaps none. */
  readonly allowedOrigins: ReadonlyArray<string>
  readonly openai: VendorConfig | undefined
  readonly anthropic: VendorConfig | undefined
  /** Who else runs models, by the names that models have for them. */
  readonly vendors: Readonly<Record<string, OwnVendorConfig>>
  /** How replies to people are made, where it is said. */
  readonly replies: RepliesConfig
  /** Undefined where nothing is sold. */
  readonly payments: PaymentsConfig | undefined
  /** How many days events of the payment provider are kept: content of done ones, and those that name nobody. */
  readonly paymentEventDays: { readonly done: number | undefined; readonly unmatched: number | undefined }
  /** Undefined if visitors of bots solve no challenge. */
  readonly turnstile: TurnstileConfig | undefined
  /** The bucket in which uploaded files rest; in the database where there is none. */
  readonly files: S3Options | undefined
  /** The CRM providers that bots can be connected to; perhaps none. */
  readonly crmProviders: ReadonlyArray<OAuthCrmOptions>
  readonly session: SessionConfig
  readonly uploads: Partial<UploadLimitsData>
  /** Where the language data for reading scans are, and of which languages; undefined where scans are not read. */
  readonly ocr:
    | { readonly dataFolder: string; readonly languages: readonly [string, ...ReadonlyArray<string>] }
    | undefined
  /** What schedules prove themselves with; without it they may not call. */
  readonly cronSecret: Redacted.Redacted | undefined
  /** Whether background work begins the periods that are due: `auto` does where no schedule can call for it. */
  readonly reset: WorkMode
  /** Whether background work catches up with missed events of the payment provider. */
  readonly catchUp: WorkMode
  /** What tokens of third parties are encrypted with at rest: the first key encrypts. None where none is set. */
  readonly encryptionKeys: ReadonlyArray<SecretKey>
  /** How long a hold lives without a renewal, in seconds; undefined takes the core's default. */
  readonly holdTtlSeconds: number | undefined
  /** How long a model's vendor may be silent before the first byte of a reply, in seconds; undefined takes the default. */
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
