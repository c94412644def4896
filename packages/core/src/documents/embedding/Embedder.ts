import { Context, type Effect, type Result, Schema } from "effect"

/** The meaning of a text as a vector: as many finite numbers as the embedder has dimensions. */
export type Embedding = ReadonlyArray<number>

/** The maximum size of an embedder's request. */
export interface EmbedderLimits {
  readonly textsPerRequest: number
  /** The maximum number of tokens of all texts in a request, by the upper bound of `../../tokens/Tokenizer.ts`. */
  readonly tokensPerRequest: number
  readonly tokensPerText: number
  /** The maximum number of requests at the same time. */
  readonly concurrency: number
}

/** The reasons why a text has no embedding. */
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

/** A text was not embedded. `cause` is only for logs of the adapter: text of the vendor never appears in a response. */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  reason: Schema.Literals(EMBEDDING_FAILURES),
  /** True if a later try with the same text may succeed. */
  retryable: Schema.Boolean,
  /** Milliseconds until a retry, if the provider stated them. */
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

/** Turns texts into embeddings. Embeddings of embedders with different names or dimensions cannot be compared. */
export class Embedder extends Context.Service<
  Embedder,
  {
    /** The provider and the model, for example `openai/text-embedding-3-small`. */
    readonly name: string
    readonly dimensions: number
    readonly limits: EmbedderLimits
    /**
     * The weight of similarity compared with words in a search: the value of one standard deviation of all cosines, as
     * a share of the best score by words. `FUSION.weight` unless given; higher for a model that finds better than words
     * do.
     */
    readonly weight?: number | undefined
    /**
     * The minimum cosine of question and passage at which the passage is relevant even if they have no word in common.
     * A passage that has neither this cosine nor enough common words is not given to a model. `RELEVANCE.similarity`
     * unless given.
     */
    readonly relevantFrom?: number | undefined
    /** The provider's price, for estimates; undefined if it is unknown. */
    readonly usdPerMillionTokens?: number | undefined
    /**
     * Returns the result for each text, in their order. A text that fails does not affect the others, so the caller can
     * store the embeddings and retry the rest. Accepts any number of texts, and sends them in requests within the
     * limits.
     */
    embed(texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<EmbeddingResult>>
  }
>()("@parley/core/documents/Embedder") {}

/**
 * The embedder with which a `PassageIndex` searches by meaning in addition to words: none unless configured. Passages
 * are embedded when they are added, and queries when they are searched.
 */
export class PassageEmbedder extends Context.Reference<Embedder["Service"] | undefined>(
  "@parley/core/documents/PassageEmbedder",
  { defaultValue: () => undefined }
) {}
