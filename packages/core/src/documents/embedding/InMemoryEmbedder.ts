import { Effect, Layer } from "effect"
import { embedBatches } from "./embedBatches.ts"
import { Embedder, type EmbedderLimits, type EmbeddingFailed } from "./Embedder.ts"
import { termsOf } from "../searching/searchTerms.ts"

export interface InMemoryEmbedderOptions {
  readonly dimensions?: number
  readonly limits?: Partial<EmbedderLimits>
  /** Called before each request; may make the request fail or wait. */
  readonly onRequest?: (texts: ReadonlyArray<string>) => Effect.Effect<void, EmbeddingFailed>
}

const defaultLimits: EmbedderLimits = {
  textsPerRequest: 64,
  tokensPerRequest: 100_000,
  tokensPerText: 8_000,
  concurrency: 4
}

/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}

/**
 * Adds up the terms: each term adds its count to, or subtracts it from, the dimension that its hash names. The vector
 * has length one.
 */
const vectorOf = (text: string, dimensions: number): ReadonlyArray<number> => {
  const sums = Array.from({ length: dimensions }, () => 0)
  const terms = termsOf(text)
  for (const [term, count] of terms.size > 0 ? terms : [[text, 1] as const]) {
    const code = hash(term)
    const dimension = code % dimensions
    sums[dimension] = (sums[dimension] ?? 0) + count * ((code >>> 31) * 2 - 1)
  }
  const length = Math.hypot(...sums)
  return length === 0 ? sums.map((_, index) => (index === 0 ? 1 : 0)) : sums.map((sum) => sum / length)
}

/**
 * An embedder for tests: equal texts have equal vectors, and the vectors of texts with common words are near each
 * other.
 */
export const makeInMemoryEmbedder = (options: InMemoryEmbedderOptions = {}): Embedder["Service"] => {
  const { dimensions = 64, onRequest = () => Effect.void } = options
  const limits = { ...defaultLimits, ...options.limits }
  const request = (texts: ReadonlyArray<string>) =>
    Effect.map(onRequest(texts), () => texts.map((text) => vectorOf(text, dimensions)))
  return Embedder.of({
    name: "in-memory/hashed-terms",
    dimensions,
    limits,
    embed: (texts) => embedBatches({ limits, dimensions, request }, texts)
  })
}

export const inMemoryEmbedderLayer = (options?: InMemoryEmbedderOptions): Layer.Layer<Embedder> =>
  Layer.sync(Embedder, () => makeInMemoryEmbedder(options))
