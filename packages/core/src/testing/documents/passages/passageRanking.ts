import { Effect } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import { indexed, indexPassages, passagesOf, type PassageStores, search, textsOf } from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"

/** Tests the parts of the scores of a `PassageIndex`. */
export const statistics = (run: Run<PassageStores>) => {
  const scoreOf = (input: Parameters<typeof search>[0]) => Effect.map(search(input), ([best]) => best?.score)

  it("what others own changes no score", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["lift of wings", "drag of wings and bodies"])]
        const question = { userId, documentIds, query: "lift wings" }
        const before = yield* scoreOf(question)
        for (let other = 0; other < 3; other++) yield* indexed(newUserId(), ["lift lift lift", "lift wings", "lift"])
        expect(yield* scoreOf(question)).toBe(before)
      })
    ))

  it("terms are weighed by all the owner's documents, not only by those named", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["lift of wings", "drag of bodies"])]
        const question = { userId, documentIds, query: "lift" }
        const before = (yield* scoreOf(question)) ?? 0
        const common = yield* indexed(userId, ["lift again here", "lift again there"])
        expect(yield* scoreOf(question)).toBeLessThan(before)
        yield* (yield* DocumentStore).remove(userId, common)
        expect(yield* scoreOf(question)).toBe(before)
      })
    ))

  it("documents indexed at the same moment are all counted", () =>
    run(
      Effect.gen(function* () {
        const texts = ["lift of wings", "drag of wings and bodies"]
        const scores: Array<number | undefined> = []
        for (const concurrency of [1, "unbounded"] as const) {
          const userId = newUserId()
          const documentIds = yield* Effect.all(
            Array.from({ length: 12 }, () => indexed(userId, texts)),
            { concurrency }
          )
          scores.push(yield* scoreOf({ userId, documentIds, query: "lift wings" }))
        }
        expect(scores[1]).toBe(scores[0])
      })
    ))

  it("indexing the same passages again changes no score", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const texts = ["lift of wings", "drag of wings and bodies"]
        const documentIds = [yield* indexed(userId, texts)]
        const question = { userId, documentIds, query: "lift wings" }
        const before = yield* scoreOf(question)
        const [documentId = ""] = documentIds
        yield* indexPassages({ userId, documentId }, passagesOf(...texts))
        expect(yield* scoreOf(question)).toBe(before)
      })
    ))
}

/** Tests the order of the results of a `PassageIndex`. */
export const ranking = (run: Run<PassageStores>) => {
  it("rare words weigh more than common ones, repeated words more than single ones, short passages more than long ones", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const rare = "ornithopter with wing and engine"
        const common = "engine with wing and propeller"
        const texts = [common, rare, ...Array.from({ length: 8 }, (_, index) => `engine of the kind${index} here`)]
        const documentIds = [yield* indexed(userId, texts)]
        expect((yield* textsOf({ userId, documentIds, query: "ornithopter engine" }))[0]).toBe(rare)
        const other = newUserId()
        const [often, once, long] = [
          "slat slat slat wing",
          "slat wing body tail",
          `slat wing body tail ${"word ".repeat(50)}`
        ]
        const others = [yield* indexed(other, [long, once, often])]
        expect(yield* textsOf({ userId: other, documentIds: others, query: "slat" })).toEqual([often, once, long])
      })
    ))

  it("scores are those of BM25 with k1 1.2 and b 0.75, plus feedback from the words of the best passages", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["slat slat wing", "wing", "body tail"])]
        const [found] = yield* search({ userId, documentIds, query: "slat" })
        const rarity = (having: number) => Math.log(1 + (3 - having + 0.5) / (having + 0.5))
        const saturated = (frequency: number) => frequency / (frequency + 1.2 * (0.25 + (0.75 * 3) / 2))
        const [slat, wing] = [saturated(2), saturated(1)]
        const expected = (slat * rarity(1) * slat + wing * rarity(2) * wing) / (slat + wing)
        expect(found?.score).toBeCloseTo(rarity(1) * slat + (0.45 / 0.55) * expected, 6)
      })
    ))

  it("of passages that answer alike, the one that is like the best of them comes first", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const best = "slat slat wing rotor propeller"
        const [like, unlike] = ["slat kept near wing rotor propeller", "slat kept near kitchen garden window"]
        const others = Array.from({ length: 8 }, (_, number) => `kept near other number${number}`)
        const documentIds = [yield* indexed(userId, [unlike, like, best, ...others])]
        expect(yield* textsOf({ userId, documentIds, query: "slat" })).toEqual([best, like, unlike])
      })
    ))

  it("a passage is found by the words of its headings as well, and comes before one that has them only in its text", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentId = yield* indexed(userId, [])
        const headings = [{ level: 1, title: "Warranty", start: 0 }]
        const [first, second, ...rest] = passagesOf(
          "it lasts two years here",
          "a warranty lasts two years",
          ...Array.from({ length: 6 }, (_, number) => `other words number${number}`)
        )
        yield* indexPassages({ userId, documentId }, [{ ...first!, headings }, { ...second!, headings }, ...rest])
        const texts = yield* textsOf({ userId, documentIds: [documentId], query: "warranty" })
        expect(texts).toEqual([second?.text, first?.text])
      })
    ))

  it("of equal passages, the one of the document that as a whole answers better comes first", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const text = "slat kept near the wing"
        const others = Array.from({ length: 6 }, (_, number) => `tail rotor number${number} body`)
        const long = yield* indexed(userId, [text, ...others])
        const short = yield* indexed(userId, [text])
        const alsoLong = yield* indexed(userId, [...others, text])
        const found = yield* search({ userId, documentIds: [long, short, alsoLong], query: "slat" })
        expect(found[0]?.documentId).toBe(short)
        expect(new Set(found.slice(1).map(({ documentId }) => documentId))).toEqual(new Set([long, alsoLong]))
      })
    ))

  it("the limit keeps the best", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const texts = ["slat wing body", "slat slat wing", "slat slat slat"]
        const others = Array.from({ length: 8 }, (_, number) => `tail rotor number${number}`)
        const documentIds = [yield* indexed(userId, [...texts, ...others])]
        const all = yield* textsOf({ userId, documentIds, query: "slat" })
        expect(all).toEqual(texts.toReversed())
        expect(yield* textsOf({ userId, documentIds, query: "slat", limit: 2 })).toEqual(all.slice(0, 2))
        expect(yield* textsOf({ userId, documentIds, query: "slat", limit: 0 })).toEqual([])
      })
    ))

  it("equal scores come in the order of document and position, always the same", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const text = "alpha beta gamma delta epsilon zeta"
        const ids: Array<string> = []
        for (let count = 0; count < 4; count++) ids.push(yield* indexed(userId, [text, "other words", text]))
        const expected = ids.toSorted().flatMap((id) => [`${id} 0`, `${id} 2`])
        for (const query of ["alpha beta gamma delta epsilon zeta", "zeta epsilon delta gamma beta alpha"]) {
          const found = yield* search({ userId, documentIds: ids.toReversed(), query })
          expect(found.map(({ documentId, ordinal }) => `${documentId} ${ordinal}`)).toEqual(expected)
          expect(new Set(found.map(({ score }) => score)).size).toBe(1)
        }
      })
    ))
}
