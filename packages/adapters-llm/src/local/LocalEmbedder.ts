import { createRequire } from "node:module"
import { join } from "node:path"
import { embedBatches, Embedder, type EmbedderLimits, EmbeddingFailed } from "@parley/core/adapter"
import { Effect, Semaphore } from "effect"

export interface LocalEmbedderOptions {
  /** A folder in which `@huggingface/transformers` is installed; it is no dependency of this package. */
  readonly installedIn: string
  /** A folder with the files of the model, in a folder of its name. Nothing is fetched from anywhere else. */
  readonly models: string
  /** The model's name, for example `Xenova/all-MiniLM-L6-v2`. */
  readonly model: string
  /** How many numbers the model gives for a text. */
  readonly dimensions: number
  /** How the numbers of a text come of those of its tokens, as the model's authors say; `mean` unless given. */
  readonly pooling?: "mean" | "cls"
  /** Of the model's files, for example `q8`; what the library takes unless given. */
  readonly precision?: string
  /** How much nearness counts beside words (`Embedder`); what is right for a weak model unless given. */
  readonly weight?: number
  /** The least cosine at which a passage is relevant whatever its words are (`Embedder`). */
  readonly relevantFrom?: number
  readonly limits?: Partial<EmbedderLimits>
}

/** A model in this process has one processor's patience: few texts at a time, one request after the other. */
export const localEmbedderLimits: EmbedderLimits = {
  textsPerRequest: 8,
  tokensPerRequest: 8_192,
  tokensPerText: 8_192,
  concurrency: 1
}

/** What is asked of the library. */
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
 * A small model in this process, through transformers.js as the operator has installed it, with the operator's own copy of the
 * model: no text leaves the machine and nothing is fetched. Both are loaded with the first text; where they cannot be, that
 * text and those after it fail as `unavailable` until they can. A model cuts a longer text than it reads by itself.
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
  /** A question takes its turn among the passages of documents, which go out few at a time. */
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
    weight: options.weight,
    relevantFrom: options.relevantFrom,
    embed: (texts) => embedBatches({ limits, dimensions, request }, texts)
  })
}
