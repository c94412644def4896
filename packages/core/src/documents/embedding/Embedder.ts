import { Context, type Effect, type Result, Schema } from "effect"

/** The position of a text by its meaning: as many finite numbers as the embedder has dimensions. */
export type Embedding = ReadonlyArray<number>

/** The maximum size of an embedder's request. */
export interface EmbedderLimits {
  readonly textsPerRequest: number
  /** The most tokens of all texts of a request together, by the upper bound of `../../tokens/Tokenizer.ts`. */
  readonly tokensPerRequest: number
  readonly tokensPerText: number
  /** Requests under way at once. */
  readonly concurrency: number
}

/** Why a text has no embedding. */
export const EMBEDDING_FAILURES = [
  "blank",
  "too-long",
  "refused",
  "rate-limited",
  "unavailable",
  "stalled",
  "bad-answer"
] as const
export type EmbeddingFailure = (typeof EMBEDDING_FAILURES)[number]

const explanations: Record<EmbeddingFailure, string> = {
  blank: "The text has nothing to embed.",
  "too-long": "The text is longer than the embedding model takes; cut it into smaller passages.",
  refused: "The embedding provider refused the text.",
  "rate-limited": "The embedding provider is receiving too many requests; try again later.",
  unavailable: "The embedding provider is not available; try again later, or check its key.",
  stalled: "The embedding provider did not answer in time.",
  "bad-answer": "The embedding provider's answer could not be used."
}

/** A text that was not embedded. `cause` is for logs of the adapter only: vendor text never reaches an answer. */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  reason: Schema.Literals(EMBEDDING_FAILURES),
  /** The same text may well be embedded later. */
  retryable: Schema.Boolean,
  /** The pause that the provider asks for. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "embedding_failed"
  override get message() {
    return explanations[this.reason]
  }
}

/** The result for one text. */
export type EmbeddingResult = Result.Result<Embedding, EmbeddingFailed>

/** Turns texts into embeddings. Those of embedders with other names or dimensions cannot be compared. */
export class Embedder extends Context.Service<
  Embedder,
  {
    /** Provider and model, for example `openai/text-embedding-3-small`. */
    readonly name: string
    readonly dimensions: number
    readonly limits: EmbedderLimits
    /**
     * The weight of similarity beside words in a search: one standard deviation of all cosines, as a share of the best
     * score by words. `FUSION.weight` unless given; higher for a model that finds better than words do.
     */
    readonly weight?: number | undefined
    /**
     * The least cosine of question and passage at which the passage is relevant without a common word: a passage that
     * passes neither test is not offered to a model. `RELEVANCE.similarity` unless given.
     */
    readonly relevantFrom?: number | undefined
    /** The provider's price, for estimates; undefined if it is not known. */
    readonly usdPerMillionTokens?: number | undefined
    /**
     * Returns the result of each text, in their order. A text that fails does not affect the others, so that the caller
     * keeps the embeddings and retries the rest. It takes any number of texts and sends them in requests within the
     * limits.
     */
    embed(texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<EmbeddingResult>>
  }
>()("@parley/core/documents/Embedder") {}

/**
 * The embedder by which a `PassageIndex` searches for meaning beside words: none unless configured. Passages are
 * embedded when they are added, queries when they are searched.
 */
export class PassageEmbedder extends Context.Reference<Embedder["Service"] | undefined>(
  "@parley/core/documents/PassageEmbedder",
  { defaultValue: () => undefined }
) {}
