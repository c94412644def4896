import { Effect, Fiber, Result } from "effect"
import { describe, expect, it } from "vitest"
import { pieceTokenizer } from "../../tokens/pieceTokenizer.ts"
import type { Embedder, EmbedderLimits, EmbeddingFailure, EmbeddingResult } from "../../documents/embedding/Embedder.ts"

/**
 * The behaviour of the provider behind an embedder. It refuses requests that contain a text with "unwanted", always
 * fails those with "unlucky" as if it were overloaded, and never answers those with "silence". It answers those with
 * "together" once the maximum number of requests is running at the same time.
 */
export interface StagedEmbedder {
  readonly embedder: Embedder["Service"]
  /** Returns the texts of all requests so far. */
  requests(): ReadonlyArray<ReadonlyArray<string>>
  /** Returns the number of running requests, and its maximum so far. */
  underWay(): { readonly now: number; readonly most: number }
}

export interface EmbedderStage {
  /** A new provider, with these limits. */
  stage(limits: EmbedderLimits): Promise<StagedEmbedder>
}

const limits: EmbedderLimits = { textsPerRequest: 4, tokensPerRequest: 200, tokensPerText: 100, concurrency: 2 }

const numbered = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `Text number ${index + 1} about warranties`)

const reasons = (results: ReadonlyArray<EmbeddingResult>): ReadonlyArray<EmbeddingFailure | undefined> =>
  results.map((result) => (Result.isFailure(result) ? result.failure.reason : undefined))

const cosine = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const dot = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
  return dot / (Math.hypot(...a) * Math.hypot(...b))
}

/**
 * Tests the guarantees of an embedder, independent of its provider. `stage` is called for each embedder that a test
 * needs, mostly once in a test.
 */
export const embedderContract = (name: string, { stage }: EmbedderStage): void => {
  describe(`${name} as an Embedder`, () => {
    const embed = async (texts: ReadonlyArray<string>, under?: StagedEmbedder) => {
      const staged = under ?? (await stage(limits))
      return { staged, results: await Effect.runPromise(staged.embedder.embed(texts)) }
    }

    it("returns each text's own embedding, in order, for any number of texts", async () => {
      const texts = numbered(23)
      const { results, staged } = await embed(texts)
      expect(reasons(results)).toEqual(texts.map(() => undefined))
      const alone = await Promise.all([0, 7, 22].map(async (index) => (await embed([texts[index] ?? ""])).results[0]))
      for (const [place, index] of [0, 7, 22].entries()) {
        const [one, other] = [results[index], alone[place]]
        if (!one || !other || Result.isFailure(one) || Result.isFailure(other)) throw new Error("no embedding")
        expect(one.success).toHaveLength(staged.embedder.dimensions)
        expect(cosine(one.success, other.success)).toBeGreaterThan(0.999)
      }
    })

    it("sends no request if there is nothing to embed", async () => {
      const { results, staged } = await embed([])
      expect([results, staged.requests()]).toEqual([[], []])
    })

    it("keeps to the limits of a request, by count and by tokens, and loses no text", async () => {
      const texts = [...numbered(9), ...Array.from({ length: 6 }, (_, index) => `${index} ${"long words ".repeat(20)}`)]
      const { staged } = await embed(texts)
      const requests = staged.requests()
      expect(requests.flat().toSorted()).toEqual(texts.toSorted())
      for (const request of requests) {
        expect(request.length).toBeLessThanOrEqual(limits.textsPerRequest)
        const tokens = request.reduce((sum, text) => sum + pieceTokenizer.count(text).max, 0)
        expect(request.length === 1 || tokens <= limits.tokensPerRequest).toBe(true)
      }
    })

    it("has so many requests under way at once as it may, and no more", async () => {
      const { staged } = await embed(numbered(40).map((text) => `${text}, together`))
      expect(staged.underWay().most).toBe(limits.concurrency)
    })

    it("loses no other text to one that the provider refuses", async () => {
      const texts = numbered(11).map((text, index) => (index === 5 ? `${text}, unwanted` : text))
      const { results } = await embed(texts)
      expect(reasons(results)).toEqual(texts.map((_, index) => (index === 5 ? "refused" : undefined)))
    })

    it("loses no other batch to a failed one, and says that it may be tried again", async () => {
      const texts = numbered(12).map((text, index) => (index === 5 ? `${text}, unlucky` : text))
      const { results } = await embed(texts)
      const failed = results.flatMap((result, index) =>
        Result.isFailure(result) ? [{ index, failure: result.failure }] : []
      )
      expect(failed.map(({ index }) => index)).toEqual([4, 5, 6, 7])
      for (const { failure } of failed) expect([failure.reason, failure.retryable]).toEqual(["unavailable", true])
    })

    it("sends no request for a text that is blank, or certainly too long", async () => {
      const { results, staged } = await embed(["", "fine", " \n", "word ".repeat(500)])
      expect(reasons(results)).toEqual(["blank", undefined, "blank", "too-long"])
      expect(staged.requests()).toEqual([["fine"]])
    })

    it("closes the connection to the provider when its caller leaves", async () => {
      const staged = await stage(limits)
      const fiber = Effect.runFork(staged.embedder.embed(["silence"]))
      await expect.poll(() => staged.underWay().now).toBe(1)
      await Effect.runPromise(Fiber.interrupt(fiber))
      await expect.poll(() => staged.underWay().now).toBe(0)
    })
  })
}
