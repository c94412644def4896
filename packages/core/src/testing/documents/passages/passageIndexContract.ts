import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import { indexed, indexPassages, type PassageStores, search, textsOf } from "./passageIndexFixtures.ts"
import { ranking, statistics } from "./passageRanking.ts"
import { languages } from "./passageLanguages.ts"
import { generations } from "./passageGenerations.ts"
import { putting } from "./passagePutting.ts"
import { replacing } from "./passageReplacing.ts"
import { scope } from "./passageScope.ts"
import { spreading } from "./passageSpread.ts"
import { storedText } from "./passageText.ts"
import { ampleQuota, newDocument, newUserId } from "../../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../../suiteOn.ts"

/**
 * Tests the guarantees of a `PassageIndex`, together with the `DocumentStore` whose documents it indexes. `layer` is
 * built once, for all tests.
 */
export const passageIndexContract = (name: string, layer: Layer.Layer<PassageStores, unknown>): void =>
  suiteOn(`PassageIndex: ${name}`, layer, (run) => {
    finding(run)
    scope(run)
    generations(run)
    replacing(run)
    putting(run)
    spreading(run)
    storedText(run)
    statistics(run)
    ranking(run)
    languages(run)
    oddQueries(run)
  })

const finding = (run: Run<PassageStores>) => {
  it("a passage comes back exactly as it was indexed, with its document, file name and place", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const document = newDocument(userId, { status: "ready", filename: "日本 'ü'.pdf" })
        yield* (yield* DocumentStore).insert(document, ampleQuota)
        const passage = {
          ordinal: 0,
          page: 3,
          start: 17,
          end: 61,
          text: "The  ornithopter\n\tflaps 'its' \\wings\\ 😀 日本.",
          headings: [
            { level: 1, title: "Flight 'of' \"birds\" \\ 😀", start: 0 },
            { level: 2, title: "日本", start: 20 }
          ]
        }
        yield* indexPassages({ userId, documentId: document.id }, [passage])
        const [found, ...others] = yield* search({ userId, documentIds: [document.id], query: "ornithopter" })
        expect(others).toEqual([])
        expect(found).toEqual({ ...passage, documentId: document.id, filename: "日本 'ü'.pdf", score: found?.score })
        expect(found?.score).toBeGreaterThan(0)
      })
    ))

  it("words are found in any case, with any punctuation and in the plural", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const text = "Pressure/temperature CURVES (see appendix-B) of Café engines."
        const documentIds = [yield* indexed(userId, [text])]
        for (const query of ["PRESSURE", "temperature?", "curve", "what is in appendix b?", "café", "engine!"]) {
          expect(yield* textsOf({ userId, documentIds, query })).toEqual([text])
        }
        for (const query of ["press", "zebra", "the of in"]) {
          expect(yield* textsOf({ userId, documentIds, query })).toEqual([])
        }
      })
    ))

  it("a word hyphenated at the end of a line is found whole and in its parts", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["choose one of the alterna-\ntives", "a well-\nknown method"])]
        for (const [query, ordinal] of [
          ["alternatives", 0],
          ["alternative", 0],
          ["well-known", 1],
          ["known", 1]
        ] as const) {
          const found = yield* search({ userId, documentIds, query })
          expect(found.map((passage) => passage.ordinal)).toEqual([ordinal])
        }
      })
    ))

  it("words are found in scripts written without spaces, and beside particles", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const texts = ["この翼は揚力を生む。", "エンジンは二基ある。", "서울에서 만났다.", "ปีกสร้างแรงยก"]
        const documentIds = [yield* indexed(userId, texts)]
        for (const [query, text] of [
          ["揚力", texts[0]],
          ["エンジン", texts[1]],
          ["서울", texts[2]],
          ["แรงยก", texts[3]]
        ] as const) {
          expect((yield* textsOf({ userId, documentIds, query }))[0]).toBe(text)
        }
      })
    ))
}

const ODD_QUERIES: ReadonlyArray<readonly [name: string, query: string]> = [
  ["nothing", ""],
  ["blank", " \n\t "],
  ["punctuation", "?!... --- *** () && || :* <-> ' \" \\ ; %_"],
  ["stop words", "what is the of and"],
  ["a NUL", "li\0ft"],
  ["lone surrogates", "\ud800 lift \udc00"],
  ["quotes", "'lift' OR \"drag\" ''' $$ E'\\' lift:*"],
  ["SQL", "lift'; DROP TABLE passages; --"],
  ["10,000 characters", "lift drag ".repeat(1000)],
  ["a word of 10,000 characters", "x".repeat(10_000)],
  ["a million characters", "lift ".repeat(200_000)],
  ["ten thousand different words", Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(" ")],
  ["CJK", "揚力とは何ですか"],
  ["emoji", "😀👩‍👩‍👧 lift 🇩🇪"],
  ["bidirectional overrides", "\u202elift\u202c"],
  ["Arabic", "ما هو الرفع؟"]
]

const oddQueries = (run: Run<PassageStores>) => {
  it.each(ODD_QUERIES)("a query of %s is answered", (_, query) =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["lift and drag", "other words"])]
        const found = yield* textsOf({ userId, documentIds, query })
        expect([[], ["lift and drag"]]).toContainEqual(found)
        expect(found.length > 0).toBe(/lift/.test(query))
      })
    )
  )
}
