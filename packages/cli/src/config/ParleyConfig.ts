import type { CatalogData, UploadLimitsData } from "@parley/core"
import { type Redacted, Schema } from "effect"

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

/** How sessions are proven. Without a secret, only the development sign-in can. */
export interface SessionConfig {
  readonly cookieName: string
  readonly secret: Redacted.Redacted | undefined
  readonly issuer: string | undefined
  readonly audience: string | undefined
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
export type LogLevelName = (typeof LOG_LEVELS)[number]

export const RESET_MODES = ["auto", "off"] as const
export type ResetMode = (typeof RESET_MODES)[number]

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
  readonly openai: VendorConfig | undefined
  readonly anthropic: VendorConfig | undefined
  readonly session: SessionConfig
  readonly uploads: Partial<UploadLimitsData>
  /** What schedules prove themselves with; without it they may not call. */
  readonly cronSecret: Redacted.Redacted | undefined
  /** Whether background work begins the periods that are due: `auto` does where no schedule can call for it. */
  readonly reset: ResetMode
  /** What tokens of third parties are encrypted with at rest. */
  readonly encryptionKey: Redacted.Redacted | undefined
  /** How long a hold lives without a renewal, in seconds; undefined takes the core's default. */
  readonly holdTtlSeconds: number | undefined
  /** Stand-ins may run in production. */
  readonly allowStandIns: boolean
  readonly logLevel: LogLevelName
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
