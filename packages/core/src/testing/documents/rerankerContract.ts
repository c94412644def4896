import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { RerankerService } from "../../documents/searching/Reranker.ts"

const PASSAGES = [
  "Bicycles are kept in the yard behind the building.",
  "The heating is checked in October, and its cost is in the yearly bill.",
  "The tenant may end the contract by a letter sent three months before."
]

/** Tests the guarantees of a reranker, independent of its model. `make` is called for each call of the reranker. */
export const rerankerContract = (name: string, make: () => RerankerService): void => {
  describe(`${name} as a reranker`, () => {
    const judge = (query: string, passages: ReadonlyArray<string>) =>
      Effect.runPromise(make().rerank({ query, passages }))

    it("returns a finite number for each passage, in their order, and the highest for the one with the answer", async () => {
      for (const [query, best] of [
        ["When is the heating checked?", 1],
        ["How does the tenant end the contract?", 2]
      ] as const) {
        const judged = await judge(query, PASSAGES)
        expect(judged).toHaveLength(PASSAGES.length)
        expect(judged.every(Number.isFinite)).toBe(true)
        expect(judged.indexOf(Math.max(...judged))).toBe(best)
        const turned = await judge(query, PASSAGES.toReversed())
        expect(turned.indexOf(Math.max(...turned))).toBe(PASSAGES.length - 1 - best)
      }
    })

    it("judges no passages as none, and one as one", async () => {
      expect(await judge("heating", [])).toEqual([])
      expect(await judge("heating", PASSAGES.slice(1, 2))).toHaveLength(1)
    })
  })
}
