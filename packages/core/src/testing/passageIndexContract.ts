import { Effect, Fiber, type Layer } from "effect"
import { expect, it } from "vitest"
import type { Document, Passage } from "../documents/Document.ts"
import { DocumentStore } from "../documents/DocumentStore.ts"
import { PassageIndex, type SearchInput } from "../documents/PassageIndex.ts"
import type { UserId } from "../identity/UserId.ts"
import { ampleQuota, newDocument, newUserId } from "./storageFixtures.ts"
import { type Run, suiteOn } from "./suiteOn.ts"

type Stores = PassageIndex | DocumentStore

/** Passages of these texts, one after another with a space between, as of a document without pages. */
export const passagesOf = (...texts: ReadonlyArray<string>): ReadonlyArray<Passage> => {
  let start = 0
  return texts.map((text, ordinal) => {
    const passage = { ordinal, page: null, start, end: start + text.length, text }
    start += text.length + 1
    return passage
  })
}

/** A document of `userId` whose passages are these texts. */
const indexed = Effect.fnUntraced(function* (
  userId: UserId,
  texts: ReadonlyArray<string>,
  changes?: Partial<Document>
) {
  const document = newDocument(userId, { status: "ready", ...changes })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* (yield* PassageIndex).replace({ userId, documentId: document.id, passages: passagesOf(...texts) })
  return document.id
})

const search = Effect.fnUntraced(function* (input: Omit<SearchInput, "limit"> & { readonly limit?: number }) {
  return yield* (yield* PassageIndex).search({ limit: 10, ...input })
})

const textsOf = (input: Parameters<typeof search>[0]) =>
  Effect.map(search(input), (found) => found.map(({ text }) => text))

/** The guarantees of every `PassageIndex`, beside the `DocumentStore` whose documents it indexes. */
export const passageIndexContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`PassageIndex: ${name}`, layer, (run) => {
    finding(run)
    scope(run)
    replacing(run)
    statistics(run)
    ranking(run)
    oddQueries(run)
  })

const finding = (run: Run<Stores>) => {
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
          text: "The  ornithopter\n\tflaps 'its' \\wings\\ 😀 日本."
        }
        yield* (yield* PassageIndex).replace({ userId, documentId: document.id, passages: [passage] })
        const [found, ...others] = yield* search({ userId, documentIds: [document.id], query: "ornithopter" })
        expect(others).toEqual([])
        expect(found).toEqual({ ...passage, documentId: document.id, filename: "日本 'ü'.pdf", score: found?.score })
        expect(found?.score).toBeGreaterThan(0)
      })
    ))

  it("words are found whatever their case, punctuation and plural", () =>
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

const scope = (run: Run<Stores>) => {
  it("no documents named finds nothing", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* indexed(userId, ["lift and drag"])
        expect(yield* search({ userId, documentIds: [], query: "lift" })).toEqual([])
      })
    ))

  it("only the documents named are searched, each once however often and in whatever case it is named", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const named = yield* indexed(userId, ["lift here"])
        yield* indexed(userId, ["lift there"])
        const documentIds = [named, named.toUpperCase(), named]
        expect(yield* textsOf({ userId, documentIds, query: "lift" })).toEqual(["lift here"])
      })
    ))

  it("a document of somebody else finds nothing, alone or beside one's own, in either direction", () =>
    run(
      Effect.gen(function* () {
        const [ann, bob] = [newUserId(), newUserId()]
        const anns = yield* indexed(ann, ["lift of ann"])
        const bobs = yield* indexed(bob, ["lift of bob"])
        expect(yield* textsOf({ userId: ann, documentIds: [bobs], query: "lift" })).toEqual([])
        expect(yield* textsOf({ userId: ann, documentIds: [bobs, anns], query: "lift" })).toEqual(["lift of ann"])
        expect(yield* textsOf({ userId: bob, documentIds: [bobs, anns], query: "lift" })).toEqual(["lift of bob"])
        expect(yield* textsOf({ userId: newUserId(), documentIds: [bobs, anns], query: "lift" })).toEqual([])
      })
    ))

  it("ids that name no document, or are none, are passed over", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const own = yield* indexed(userId, ["lift"])
        const strange = [crypto.randomUUID(), "", "*", "not-a-uuid", "' OR 1=1 --", "\0", `${own}x`]
        expect(yield* textsOf({ userId, documentIds: strange, query: "lift" })).toEqual([])
        expect(yield* textsOf({ userId, documentIds: [...strange, own], query: "lift" })).toEqual(["lift"])
      })
    ))

  it("a deleted document is found no more", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const [gone, kept] = [yield* indexed(userId, ["lift gone"]), yield* indexed(userId, ["lift kept"])]
        expect(yield* (yield* DocumentStore).remove(userId, gone)).toBe(true)
        expect(yield* textsOf({ userId, documentIds: [gone, kept], query: "lift" })).toEqual(["lift kept"])
      })
    ))
}

const replacing = (run: Run<Stores>) => {
  it("replacing puts the new passages in place of all the old ones", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const index = yield* PassageIndex
        const documentId = yield* indexed(userId, ["old lift", "old drag", "old thrust"])
        yield* index.replace({ userId, documentId, passages: passagesOf("new lift") })
        const found = (query: string) => textsOf({ userId, documentIds: [documentId], query })
        expect(yield* found("old")).toEqual([])
        expect(yield* found("lift drag thrust")).toEqual(["new lift"])
        yield* index.replace({ userId, documentId, passages: [] })
        expect(yield* found("lift")).toEqual([])
      })
    ))

  it("replacements of one document at the same moment leave exactly one of them", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const index = yield* PassageIndex
        const documentId = yield* indexed(userId, ["lift before"])
        const versions = Array.from({ length: 8 }, (_, version) =>
          passagesOf(`lift ${version}`, `more lift ${version}`)
        )
        yield* Effect.all(
          versions.map((passages) => index.replace({ userId, documentId, passages })),
          { concurrency: "unbounded" }
        )
        const found = yield* search({ userId, documentIds: [documentId], query: "lift" })
        const inOrder = found.toSorted((one, other) => one.ordinal - other.ordinal).map(({ text }) => text)
        expect(versions.map((passages) => passages.map(({ text }) => text))).toContainEqual(inOrder)
      })
    ))

  it("a search beside a replacement, or after one that was broken off, sees the old passages or the new, never both", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const index = yield* PassageIndex
        const version = (name: string) => Array.from({ length: 300 }, (_, number) => `lift ${name} passage${number}`)
        const documentId = yield* indexed(userId, version("old"))
        const look = Effect.map(textsOf({ userId, documentIds: [documentId], query: "lift", limit: 1000 }), (texts) => {
          const names = new Set(texts.map((text) => text.split(" ")[1]))
          return `${texts.length} ${[...names].join(" and ")}`
        })
        for (const name of ["new", "newer", "newest"]) {
          const before = yield* look
          const replace = index.replace({ userId, documentId, passages: passagesOf(...version(name)) })
          const replacing = yield* Effect.forkChild(replace)
          for (let looks = 0; looks < 5; looks++) expect([before, `300 ${name}`]).toContain(yield* look)
          yield* Fiber.interrupt(replacing)
          expect([before, `300 ${name}`]).toContain(yield* look)
          yield* replace
          expect(yield* look).toBe(`300 ${name}`)
        }
      })
    ))

  it("passages of a document that is gone, of somebody else's, or of none are not kept", () =>
    run(
      Effect.gen(function* () {
        const [ann, bob] = [newUserId(), newUserId()]
        const index = yield* PassageIndex
        const [gone, anns] = [yield* indexed(ann, ["lift"]), yield* indexed(ann, ["lift of ann"])]
        yield* (yield* DocumentStore).remove(ann, gone)
        yield* index.replace({ userId: ann, documentId: gone, passages: passagesOf("lift again") })
        yield* index.replace({ userId: bob, documentId: anns, passages: passagesOf("lift of bob") })
        yield* index.replace({ userId: bob, documentId: crypto.randomUUID(), passages: passagesOf("lift of none") })
        expect(yield* textsOf({ userId: ann, documentIds: [gone, anns], query: "lift" })).toEqual(["lift of ann"])
        expect(yield* textsOf({ userId: bob, documentIds: [gone, anns], query: "lift" })).toEqual([])
      })
    ))

  it("a document of a thousand passages is indexed and found whole", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const texts = Array.from({ length: 1000 }, (_, index) => `lift and number${index}`)
        const documentIds = [yield* indexed(userId, texts)]
        expect(yield* textsOf({ userId, documentIds, query: "number0" })).toEqual([texts[0]])
        expect(yield* textsOf({ userId, documentIds, query: "number999" })).toEqual([texts[999]])
        expect(yield* search({ userId, documentIds, query: "lift", limit: 2000 })).toHaveLength(1000)
      })
    ))
}

const statistics = (run: Run<Stores>) => {
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
        yield* (yield* PassageIndex).replace({ userId, documentId, passages: passagesOf(...texts) })
        expect(yield* scoreOf(question)).toBe(before)
      })
    ))
}

const ranking = (run: Run<Stores>) => {
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

  it("scores are those of BM25 with k1 1.2 and b 0.75", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["slat slat wing", "wing", "body tail"])]
        const [found] = yield* search({ userId, documentIds, query: "slat" })
        const rarity = Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
        expect(found?.score).toBeCloseTo((rarity * 2) / (2 + 1.2 * (0.25 + (0.75 * 3) / 2)), 6)
      })
    ))

  it("the limit keeps the best", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, ["slat wing body", "slat slat wing", "slat slat slat"])]
        const all = yield* textsOf({ userId, documentIds, query: "slat" })
        expect(all).toEqual(["slat slat slat", "slat slat wing", "slat wing body"])
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

const oddQueries = (run: Run<Stores>) => {
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
