import { Effect, Result } from "effect"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import { type TokenizerService } from "../../tokens/TokenizerService.ts"
import { type EmbedderLimits, type Embedding, EmbeddingFailed, type EmbeddingResult } from "./Embedder.ts"

export interface EmbedBatches {
  readonly limits: EmbedderLimits
  readonly dimensions: number
  /**
   * Embeds texts that are within the limits, in one request. Returns a value for each text, in their order, which has
   * not been checked yet.
   */
  request(texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<unknown>, EmbeddingFailed>
}

/** A text, and its position among all texts. */
interface Placed {
  readonly text: string
  readonly place: number
}

/**
 * Divides texts into batches within the limits, in order. A single text whose count exceeds `tokensPerRequest` becomes
 * a batch of its own: the count is only an upper bound, and the provider decides.
 */
const cutBatches = (
  texts: ReadonlyArray<Placed>,
  limits: EmbedderLimits,
  tokenizer: TokenizerService
): ReadonlyArray<ReadonlyArray<Placed>> => {
  const batches: Array<Array<Placed>> = []
  let tokens = Number.POSITIVE_INFINITY
  for (const one of texts) {
    const cost = tokenizer.count(one.text).max
    const last = batches.at(-1)
    if (last === undefined || last.length >= limits.textsPerRequest || tokens + cost > limits.tokensPerRequest) {
      batches.push([one])
      tokens = cost
    } else {
      last.push(one)
      tokens += cost
    }
  }
  return batches
}

/** Groups texts by the requests in which they are sent. */
export const tokenBatches = (
  texts: ReadonlyArray<string>,
  limits: EmbedderLimits,
  tokenizer: TokenizerService
): ReadonlyArray<ReadonlyArray<Placed>> =>
  cutBatches(
    texts.flatMap((text, place) => (refuseAtOnce(text, limits, tokenizer) === undefined ? [{ text, place }] : [])),
    limits,
    tokenizer
  )

const failed = (reason: EmbeddingFailed["reason"], retryable = false): EmbeddingResult =>
  Result.fail(new EmbeddingFailed({ reason, retryable }))

/**
 * Returns the failure of a text that needs no request: the text is blank, or its estimated number of tokens exceeds the
 * limit. The estimate is used because the upper bound would refuse many texts that fit; even the estimate can exceed
 * the provider's count.
 */
const refuseAtOnce = (
  text: string,
  limits: EmbedderLimits,
  tokenizer: TokenizerService
): EmbeddingResult | undefined => {
  if (text.trim() === "") return failed("blank")
  return tokenizer.count(text).estimate > limits.tokensPerText ? failed("too-long") : undefined
}

/** Checks a vector from the provider: it must have `dimensions` finite numbers, not all of them zero. */
const checkEmbedding = (vector: unknown, dimensions: number): EmbeddingResult => {
  if (!Array.isArray(vector) || vector.length !== dimensions) return failed("bad-answer", true)
  const sound = vector.every((value) => typeof value === "number" && Number.isFinite(value))
  return sound && vector.some((value) => value !== 0) ? Result.succeed(vector as Embedding) : failed("bad-answer", true)
}

/**
 * Embeds any number of texts in batches bounded by count and by tokens, with as many concurrent requests as the limits
 * allow. A batch that the provider refuses is halved until the faulty text is alone; a batch that fails for another
 * reason does not affect the others. Every vector is checked for its length and for values that are not numbers.
 */
export const embedBatches = Effect.fnUntraced(function* (
  { dimensions, limits, request }: EmbedBatches,
  texts: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<EmbeddingResult>> {
  const tokenizer = yield* Tokenizer
  const results = texts.map((text) => refuseAtOnce(text, limits, tokenizer))

  const embed = (batch: ReadonlyArray<Placed>): Effect.Effect<void> =>
    Effect.matchEffect(request(batch.map(({ text }) => text)), {
      onSuccess: (vectors) =>
        Effect.sync(() => {
          const whole = vectors.length === batch.length
          batch.forEach(({ place }, index) => {
            results[place] = whole ? checkEmbedding(vectors[index], dimensions) : failed("bad-answer", true)
          })
        }),
      onFailure: (error) => {
        if (error.reason === "refused" && batch.length > 1) {
          const half = batch.length >> 1
          return Effect.andThen(embed(batch.slice(0, half)), embed(batch.slice(half)))
        }
        return Effect.sync(() => batch.forEach(({ place }) => (results[place] = Result.fail(error))))
      }
    })

  const asked = texts.flatMap((text, place) => (results[place] === undefined ? [{ text, place }] : []))
  yield* Effect.forEach(cutBatches(asked, limits, tokenizer), embed, { concurrency: limits.concurrency, discard: true })
  return results as ReadonlyArray<EmbeddingResult>
})
