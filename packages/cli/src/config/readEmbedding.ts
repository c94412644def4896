import { resolve } from "node:path"
import { type Redacted, Schema, Struct } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const Dimensions = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16_000 }))

const shared = {
  /**
   * `weight` of `Embedder`. From about 1 on, the score by words decides only among passages that are about equally
   * near.
   */
  weight: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))),
  /** `relevantFrom` of `Embedder`: the least cosine of a relevant passage. */
  relevantFrom: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 })))
}

/** An embedding server that speaks OpenAI's protocol. */
const Remote = Schema.Struct({
  vendor: Schema.Literal("openai"),
  model: Schema.optionalKey(Schema.NonEmptyString),
  baseUrl: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/))),
  dimensions: Schema.optionalKey(Dimensions),
  batch: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_048 }))),
  usdPerMillionTokens: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  ...shared
})

/** A model on this machine, which the operator's installation of transformers.js runs. */
const Local = Schema.Struct({
  vendor: Schema.Literal("local"),
  model: Schema.NonEmptyString,
  models: Schema.NonEmptyString,
  installedIn: Schema.optionalKey(Schema.NonEmptyString),
  dimensions: Dimensions,
  pooling: Schema.optionalKey(Schema.Literals(["mean", "cls"])),
  precision: Schema.optionalKey(Schema.NonEmptyString),
  ...shared
})

const Part = Schema.Union([Remote, Local])

/** Models with known dimensions, which a parameter of the request can reduce. */
const KNOWN_MODELS: ReadonlyArray<string> = ["text-embedding-3-small", "text-embedding-3-large"]
const OLDER_MODEL = "text-embedding-ada-002"

const EXPECTED =
  '{ "vendor": "openai", "model", "baseUrl", "dimensions": 1 to 16000, "batch": 1 to 2048, "usdPerMillionTokens": 0 or more, "weight": 0 to 10, "relevantFrom": -1 to 1 }, all but the vendor where needed; or { "vendor": "local", "model", "models": the folder of its files, "dimensions", "installedIn": the folder in which @huggingface/transformers is installed, "pooling": mean or cls, "precision", "weight": 0 to 10, "relevantFrom": -1 to 1 }, the last five where needed'

const remote = (read: EnvironmentReader, ownKey: Redacted.Redacted | undefined, embedding: typeof Remote.Type) => {
  const { batch, dimensions, model = "text-embedding-3-small", relevantFrom, usdPerMillionTokens, weight } = embedding
  /** True if requests contain the number of dimensions. */
  const isAsked = KNOWN_MODELS.includes(model)
  if (!isAsked && model !== OLDER_MODEL && dimensions === undefined) {
    read.problem("PARLEY_CONFIG", "embedding.dimensions: expected the number of dimensions of the model's embeddings")
  }
  const apiKey = ownKey ?? read.secret("OPENAI_API_KEY")
  if (apiKey === undefined) {
    const expected = "expected the key of who embeds (or OPENAI_API_KEY), or any word where it wants none"
    read.problem("PARLEY_EMBEDDING_API_KEY", expected)
    return undefined
  }
  const baseUrl = embedding.baseUrl ?? read.text("OPENAI_BASE_URL")
  const options = { dimensions, batch, usdPerMillionTokens, weight, relevantFrom }
  return { _tag: "Remote" as const, apiKey, baseUrl, model, isAsked, ...options }
}

/** A model on this machine. Relative paths begin in the working folder. Embedding costs nothing. */
const local = ({
  installedIn = ".",
  models,
  pooling,
  precision,
  relevantFrom,
  weight,
  ...given
}: typeof Local.Type) => ({
  _tag: "Local" as const,
  ...Struct.pick(given, ["model", "dimensions"]),
  models: resolve(models),
  /** The folder in which `@huggingface/transformers` is installed. */
  installedIn: resolve(installedIn),
  ...{ pooling, precision, relevantFrom, weight },
  usdPerMillionTokens: 0
})

/**
 * Reads the embedder of documents and questions from the part `embedding` of the file that `PARLEY_CONFIG` names;
 * undefined if the part is missing.
 */
export const readEmbedding = (read: EnvironmentReader, part: unknown, ownKey: Redacted.Redacted | undefined) => {
  const embedding = read.part("embedding", part, Part, EXPECTED, "error")
  if (embedding === undefined) return undefined
  return embedding.vendor === "local" ? local(embedding) : remote(read, ownKey, embedding)
}
