import { Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import type { EmbeddingConfig } from "./ParleyConfig.ts"

const EmbeddingPart = Schema.Struct({
  vendor: Schema.Literal("openai"),
  model: Schema.optionalKey(Schema.NonEmptyString),
  baseUrl: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/))),
  dimensions: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16_000 }))),
  batch: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_048 }))),
  usdPerMillionTokens: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))
})

/** The models whose dimensions are known, and may be asked to be fewer. */
const KNOWN_MODELS: ReadonlyArray<string> = ["text-embedding-3-small", "text-embedding-3-large"]
const OLDER_MODEL = "text-embedding-ada-002"

const decode = Schema.decodeUnknownOption(EmbeddingPart, { onExcessProperty: "error" })

/** The part `embedding` of the file named by `PARLEY_CONFIG`: who embeds documents and questions. Undefined where nobody does. */
export const readEmbedding = (read: EnvironmentReader, part: unknown): EmbeddingConfig | undefined => {
  if (part === undefined) return undefined
  const decoded = decode(part)
  if (decoded._tag === "None") {
    read.problem(
      "PARLEY_CONFIG",
      'embedding: expected { "vendor": "openai", "model", "baseUrl", "dimensions": 1 to 16000, "batch": 1 to 2048, "usdPerMillionTokens": 0 or more }, all but the vendor where needed'
    )
    return undefined
  }
  const { baseUrl, batch, dimensions, usdPerMillionTokens, model = "text-embedding-3-small" } = decoded.value
  const isKnown = KNOWN_MODELS.includes(model)
  if (!isKnown && model !== OLDER_MODEL && dimensions === undefined) {
    read.problem("PARLEY_CONFIG", "embedding.dimensions: expected how many numbers the model gives for a text")
  }
  const apiKey = read.secret("PARLEY_EMBEDDING_API_KEY") ?? read.secret("OPENAI_API_KEY")
  if (apiKey === undefined) {
    read.problem(
      "PARLEY_EMBEDDING_API_KEY",
      "expected the key of who embeds (or OPENAI_API_KEY), or any word where it wants none"
    )
    return undefined
  }
  const url = baseUrl ?? read.text("OPENAI_BASE_URL")
  return { apiKey, baseUrl: url, model, dimensions, isAsked: isKnown, batch, usdPerMillionTokens }
}
