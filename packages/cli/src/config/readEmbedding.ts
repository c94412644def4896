import { resolve } from "node:path"
import { type Redacted, Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import type { EmbeddingConfig, LocalEmbeddingConfig, RemoteEmbeddingConfig } from "./ParleyConfig.ts"

const MAX_DIMENSIONS = 16_000

/** `weight` as `Embedder` has it. From about 1 on, words decide only among passages that are about equally near. */
const Weight = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

/** `relevantFrom` as `Embedder` has it. */
const Cosine = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))

const RemotePart = Schema.Struct({
  vendor: Schema.Literal("openai"),
  model: Schema.optionalKey(Schema.NonEmptyString),
  baseUrl: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/))),
  dimensions: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_DIMENSIONS }))),
  batch: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_048 }))),
  usdPerMillionTokens: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  weight: Schema.optionalKey(Weight),
  relevantFrom: Schema.optionalKey(Cosine)
})

const LocalPart = Schema.Struct({
  vendor: Schema.Literal("local"),
  model: Schema.NonEmptyString,
  models: Schema.NonEmptyString,
  installedIn: Schema.optionalKey(Schema.NonEmptyString),
  dimensions: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_DIMENSIONS })),
  pooling: Schema.optionalKey(Schema.Literals(["mean", "cls"])),
  precision: Schema.optionalKey(Schema.NonEmptyString),
  weight: Schema.optionalKey(Weight),
  relevantFrom: Schema.optionalKey(Cosine)
})

/** Models with known dimensions, which can be reduced by a parameter. */
const KNOWN_MODELS: ReadonlyArray<string> = ["text-embedding-3-small", "text-embedding-3-large"]
const OLDER_MODEL = "text-embedding-ada-002"

const decode = Schema.decodeUnknownOption(Schema.Union([RemotePart, LocalPart]), { onExcessProperty: "error" })

const EXPECTED = [
  '{ "vendor": "openai", "model", "baseUrl", "dimensions": 1 to 16000, "batch": 1 to 2048, "usdPerMillionTokens": 0 or more, "weight": 0 to 10, "relevantFrom": -1 to 1 }, all but the vendor where needed',
  '{ "vendor": "local", "model", "models": the folder of its files, "dimensions", "installedIn": the folder in which @huggingface/transformers is installed, "pooling": mean or cls, "precision", "weight": 0 to 10, "relevantFrom": -1 to 1 }, the last five where needed'
]

/** Paths are taken from the folder the command runs in, as other paths of the configuration. */
const local = ({
  dimensions,
  installedIn = ".",
  model,
  models,
  pooling,
  precision,
  relevantFrom,
  weight
}: typeof LocalPart.Type): LocalEmbeddingConfig => ({
  _tag: "Local",
  model,
  models: resolve(models),
  installedIn: resolve(installedIn),
  dimensions,
  pooling,
  precision,
  weight,
  relevantFrom,
  usdPerMillionTokens: 0
})

const remote = (
  read: EnvironmentReader,
  ownKey: Redacted.Redacted | undefined,
  embedding: typeof RemotePart.Type
): RemoteEmbeddingConfig | undefined => {
  const { baseUrl, batch, dimensions, relevantFrom, usdPerMillionTokens, weight } = embedding
  const { model = "text-embedding-3-small" } = embedding
  const isKnown = KNOWN_MODELS.includes(model)
  if (!isKnown && model !== OLDER_MODEL && dimensions === undefined) {
    read.problem("PARLEY_CONFIG", "embedding.dimensions: expected how many numbers the model gives for a text")
  }
  const apiKey = ownKey ?? read.secret("OPENAI_API_KEY")
  if (apiKey === undefined) {
    read.problem(
      "PARLEY_EMBEDDING_API_KEY",
      "expected the key of who embeds (or OPENAI_API_KEY), or any word where it wants none"
    )
    return undefined
  }
  const url = baseUrl ?? read.text("OPENAI_BASE_URL")
  return {
    _tag: "Remote",
    apiKey,
    baseUrl: url,
    model,
    dimensions,
    isAsked: isKnown,
    batch,
    usdPerMillionTokens,
    weight,
    relevantFrom
  }
}

/**
 * Reads the part `embedding` of the file named by `PARLEY_CONFIG`, and its key: the embedder of documents and
 * questions. Undefined without an embedder.
 */
export const readEmbedding = (
  read: EnvironmentReader,
  part: unknown,
  ownKey: Redacted.Redacted | undefined
): EmbeddingConfig | undefined => {
  if (part === undefined) return undefined
  const decoded = decode(part)
  if (decoded._tag === "None") {
    read.problem("PARLEY_CONFIG", `embedding: expected ${EXPECTED.join("; or ")}`)
    return undefined
  }
  return decoded.value.vendor === "local" ? local(decoded.value) : remote(read, ownKey, decoded.value)
}
