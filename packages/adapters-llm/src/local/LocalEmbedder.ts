import { createRequire } from "node:module"
import { join } from "node:path"
import { embedBatches, Embedder, type EmbedderLimits, EmbeddingFailed, knownWeightOf } from "@parley/core/adapter"
import { Effect, Semaphore } from "effect"

export interface LocalEmbedderOptions {
  /** A folder in which `@huggingface/transformers` is installed; this package does not depend on it. */
  readonly installedIn: string
  /** A folder that contains a folder with the model's name and files. Nothing is downloaded. */
  readonly models: string
  /** The model's name, for example `Xenova/all-MiniLM-L6-v2`. */
  readonly model: string
  /** The number of dimensions of the model's embeddings. */
  readonly dimensions: number
  /**
   * The method that combines the vectors of tokens into one for the text, as the model's authors recommend; `mean` by
   * default.
   */
  readonly pooling?: "mean" | "cls"
  /** The precision of the model's files, for example `q8`; the library's default if undefined. */
  readonly precision?: string
  /**
   * The weight of nearness besides words (see `Embedder`); by default that of a known model, or a weight that suits a
   * weak model.
   */
  readonly weight?: number
  /** The least cosine at which a passage is relevant, independent of its words (`Embedder`). */
  readonly relevantFrom?: number
  readonly limits?: Partial<EmbedderLimits>
}

/**
 * Default limits of a model in this process. They are low, because the model uses the processor of the server: few
 * texts at a time, one request after another.
 */
export const localEmbedderLimits: EmbedderLimits = {
  textsPerRequest: 8,
  tokensPerRequest: 8_192,
  tokensPerText: 8_192,
  concurrency: 1
}

/** The part of transformers.js that this module uses. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string }
  pipeline(task: "feature-extraction", model: string, options: Readonly<Record<string, unknown>>): Promise<Extractor>
}

type Extractor = (
  texts: ReadonlyArray<string>,
  options: { readonly pooling: string; readonly normalize: boolean }
) => Promise<{ tolist(): ReadonlyArray<unknown> }>

const PACKAGE = "@huggingface/transformers"

const loadExtractor = async ({ installedIn, model, models, precision }: LocalEmbedderOptions): Promise<Extractor> => {
  const { env, pipeline } = createRequire(join(installedIn, "package.json"))(PACKAGE) as Transformers
  env.allowRemoteModels = false
  env.allowLocalModels = true
  env.localModelPath = models
  return pipeline("feature-extraction", model, { local_files_only: true, ...(precision && { dtype: precision }) })
}

const failed = (reason: "unavailable" | "bad-answer", retryable: boolean) => (cause: unknown) =>
  new EmbeddingFailed({ reason, retryable, cause })

/**
 * Makes an embedder that runs a small model in this process, with transformers.js and the model's files from the
 * operator's folders: no text leaves the machine, and nothing is downloaded. The library and the model are loaded for
 * the first text; while they cannot be loaded, texts fail as `unavailable`. A model truncates texts beyond its own
 * limit.
 */
export const makeLocalEmbedder = (options: LocalEmbedderOptions): Embedder["Service"] => {
  const { dimensions, model, pooling = "mean" } = options
  const limits = { ...localEmbedderLimits, ...options.limits }
  let loading: Promise<Extractor> | undefined
  const extractor = (): Promise<Extractor> => {
    loading ??= loadExtractor(options)
    loading.catch(() => (loading = undefined))
    return loading
  }
  /** A question waits only for the current request, because the passages of documents are sent few at a time. */
  const underWay = Semaphore.makeUnsafe(limits.concurrency)
  const request = (texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const extract = yield* Effect.tryPromise({ try: extractor, catch: failed("unavailable", true) })
      const tensor = yield* Effect.tryPromise({
        try: () => extract(texts, { pooling, normalize: true }),
        catch: failed("bad-answer", false)
      })
      return yield* Effect.try({ try: () => tensor.tolist(), catch: failed("bad-answer", false) })
    }).pipe(underWay.withPermits(1))
  return Embedder.of({
    name: `local/${model}`,
    dimensions,
    limits,
    weight: options.weight ?? knownWeightOf(model),
    relevantFrom: options.relevantFrom,
    embed: (texts) => embedBatches({ limits, dimensions, request }, texts)
  })
}
