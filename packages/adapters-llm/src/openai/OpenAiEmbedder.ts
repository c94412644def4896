import type OpenAI from "openai"
import { EventStreamBroken } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, isObject } from "../vendor/vendorEvent.ts"
import {
  causeField,
  embedBatches,
  Embedder,
  type EmbedderLimits,
  EmbeddingFailed,
  knownWeightOf,
  type ModelFailed,
  type ModelFailure
} from "@parley/core/adapter"
import { Clock, Effect, Random, Semaphore } from "effect"
import { defaultRetryPolicy, delayBeforeRetry, type RetryPolicy } from "../vendor/retryBeforeFirst.ts"
import { wholeBytes } from "../vendor/readBounded.ts"
import { refusingWhileSilent } from "../silence/refusingWhileSilent.ts"
import { vendorFailure } from "../vendor/vendorFailure.ts"
import { VendorRefusal } from "../vendor/VendorRefusal.ts"
import type { ApiKey } from "../vendor/ApiKey.ts"
import { openAiClient, OPENAI_URL } from "./openAiClient.ts"

/**
 * Parses a response with `count` embeddings, and returns the vectors in the order of their index; the caller checks the
 * numbers. Throws `EventStreamBroken` if the response is not JSON, or does not have exactly one entry for each text.
 */
export const embeddingsFrom = (text: string, count: number): ReadonlyArray<unknown> => {
  const { data } = eventObject(text)
  const entries = Array.isArray(data) ? data.filter(isObject) : []
  const vectors = new Map(entries.map((entry) => [countAt(entry, "index"), entry["embedding"]]))
  const missing = Array.from({ length: count }, (_, index) => index).some((index) => !vectors.has(index))
  if (missing || entries.length !== count) throw new EventStreamBroken("The answer has not one entry for each text.")
  return Array.from({ length: count }, (_, index) => vectors.get(index))
}

export interface OpenAiEmbedderOptions {
  readonly apiKey: ApiKey
  /** The address of a compatible server; OpenAI's by default. */
  readonly baseUrl?: string | undefined
  /** The name of the model; `text-embedding-3-small` by default. */
  readonly model?: string
  /** The number of dimensions to request, for models that can return fewer than they have. */
  readonly dimensions?: number
  /** The number of dimensions that the model has; known for OpenAI's models. */
  readonly modelDimensions?: number
  /**
   * The weight of nearness besides words (see `Embedder`); by default that of a known model, or a weight that suits a
   * weak model.
   */
  readonly weight?: number
  /** The least cosine at which a passage is relevant, independent of its words (`Embedder`). */
  readonly relevantFrom?: number
  readonly limits?: Partial<EmbedderLimits>
  readonly retry?: Partial<RetryPolicy>
  /** Time limit of one request in milliseconds; default 60,000. */
  readonly timeoutMs?: number
}

/** The dimensions of OpenAI's models, from its reference. */
const MODEL_DIMENSIONS: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536
}
export const openAiEmbedderLimits: EmbedderLimits = {
  textsPerRequest: 2_048,
  tokensPerRequest: 300_000,
  tokensPerText: 8_191,
  concurrency: 4
}

/** The bytes of a response besides the numbers, and the most bytes of each number. */
const BYTES_AROUND = 1024 * 1024
const BYTES_PER_NUMBER = 32

const TIMEOUT_MS = 60_000
const VENDOR = "openai"

/**
 * True if a request was refused for a reason that may be one of its texts. The vendor does not name the text, so the
 * caller searches for it.
 */
const isRefused = (cause: unknown): boolean => cause instanceof VendorRefusal && [400, 413, 422].includes(cause.status)

const namedAs = (reason: ModelFailure, cause: unknown): EmbeddingFailed["reason"] => {
  switch (reason) {
    case "cut-off":
      return "unavailable"
    case "misconfigured":
      return isRefused(cause) ? "refused" : "unavailable"
    case "empty":
    case "overlong":
      return "bad-answer"
    default:
      return reason
  }
}

/** Converts a vendor's failure to one of the port. */
const embeddingFailure = ({ cause, reason, retryable, retryAfterMs }: ModelFailed): EmbeddingFailed => {
  const named = namedAs(reason, cause)
  return new EmbeddingFailed({
    reason: named,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause })
  })
}

/** While the vendor is silent, embeddings for questions fail at once. */
const QUESTIONS = {
  probe: ["Hi"],
  refused: (retryAfterMs: number) => new EmbeddingFailed({ reason: "stalled", retryable: false, retryAfterMs }),
  isSilence: ({ reason }: EmbeddingFailed) => reason === "stalled"
}

/** Makes an embedder that uses OpenAI, or any server with the same protocol. */
export const makeOpenAiEmbedder = (options: OpenAiEmbedderOptions): Embedder["Service"] => {
  const { baseUrl = OPENAI_URL, model = "text-embedding-3-small", timeoutMs = TIMEOUT_MS } = options
  const dimensions = options.dimensions ?? options.modelDimensions ?? MODEL_DIMENSIONS[model]
  if (dimensions === undefined) throw new TypeError(`Set modelDimensions to the number of dimensions of ${model}.`)
  const limits = { ...openAiEmbedderLimits, ...options.limits }
  const retry = { ...defaultRetryPolicy, ...options.retry }
  let client: Promise<OpenAI> | undefined
  /** The time until which the vendor has asked all callers to wait, in Unix milliseconds. */
  let notBefore = 0
  /**
   * Limits the concurrent requests of all callers together. A request with a single text is not limited, so that a
   * question does not wait for documents.
   */
  const underWay = Semaphore.makeUnsafe(limits.concurrency)

  const connect = () => openAiClient({ apiKey: options.apiKey, baseUrl, timeoutMs: 2 * timeoutMs })

  const post = async (input: ReadonlyArray<string>, signal: AbortSignal): Promise<ReadonlyArray<unknown>> => {
    const { embeddings } = await (client ??= connect())
    const asked = options.dimensions === undefined ? {} : { dimensions: options.dimensions }
    const body = { model, input: [...input], encoding_format: "float" as const, ...asked }
    const response = await embeddings.create(body, { signal }).asResponse()
    const bytes = await wholeBytes(response, BYTES_AROUND + input.length * dimensions * BYTES_PER_NUMBER, signal)
    return embeddingsFrom(new TextDecoder().decode(bytes), input.length)
  }

  const postOnce = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<unknown>, EmbeddingFailed> =>
    Effect.tryPromise({
      try: (signal) => post(texts, signal),
      catch: (cause) => embeddingFailure(vendorFailure(model, cause))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(new EmbeddingFailed({ reason: "stalled", retryable: true }))
      })
    )

  const postQuestion = refusingWhileSilent(`${VENDOR} ${model}`, postOnce, QUESTIONS)

  const request = (texts: ReadonlyArray<string>, retries = 0): Effect.Effect<ReadonlyArray<unknown>, EmbeddingFailed> =>
    Effect.gen(function* () {
      const wait = notBefore - (yield* Clock.currentTimeMillis)
      if (wait > 0) yield* Effect.sleep(wait)
      return yield* Effect.catch(
        texts.length === 1 ? postQuestion(texts) : underWay.withPermit(postOnce(texts)),
        (error) => askAgain(texts, retries, error)
      )
    })

  const askAgain = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, retries: number, error: EmbeddingFailed) {
    const delay = delayBeforeRetry(error, retries, retry, yield* Random.next)
    if (delay === undefined) return yield* error
    if (error.retryAfterMs !== undefined) {
      notBefore = Math.max(notBefore, (yield* Clock.currentTimeMillis) + error.retryAfterMs)
    }
    const known = { vendor: VENDOR, model, reason: error.reason, ...causeField(error) }
    const labels = { ...known, retry: retries + 1, delayMs: Math.round(delay) }
    yield* Effect.logWarning("Texts were not embedded and are sent again.").pipe(Effect.annotateLogs(labels))
    yield* Effect.sleep(delay)
    return yield* request(texts, retries + 1)
  })

  return Embedder.of({
    name: `${VENDOR}/${model}`,
    dimensions,
    limits,
    weight: options.weight ?? knownWeightOf(model),
    relevantFrom: options.relevantFrom,
    embed: (texts) => embedBatches({ limits, dimensions, request }, texts)
  })
}
