import { Effect } from "effect"
import { expect, it } from "vitest"
import { cutPassages } from "../../../documents/indexing/cutPassages.ts"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import type { ParsedDocument } from "../../../documents/reading/DocumentParser.ts"
import { verifyPassages } from "../../../documents/indexing/verifyPassages.ts"
import { indexed, type PassageStores, passagePorts } from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"

/** Long enough for several parts of any size; every second character is a surrogate pair. */
const astral = "x😀 ".repeat(300_000)
const pages = Array.from({ length: 40 }, (_, page) => `Page ${page + 1} speaks of lift and of drag. `.repeat(30))

const TEXTS: ReadonlyArray<readonly [name: string, parsed: ParsedDocument]> = [
  ["of one word", { text: "lift", pageStarts: null }],
  ["of 1,200,000 UTF-16 units, most of them in pairs", { text: astral, pageStarts: null }],
  ["shifted by one, so that pairs lie elsewhere", { text: `.${astral}`, pageStarts: null }],
  [
    "of 40 pages",
    { text: pages.join("\n"), pageStarts: pages.map((_, at) => pages.slice(0, at).join("\n").length + (at && 1)) }
  ],
  [
    "with headings",
    {
      text: "Flight\n\nlift\n\nBirds\n\ndrag",
      pageStarts: null,
      headings: [
        { level: 1, title: "Flight", start: 0 },
        { level: 2, title: "Birds", start: 14 }
      ]
    }
  ],
  ["with a blank first page", { text: "\n lift", pageStarts: [0, 1] }],
  ["of quotes, NUL and lone surrogates", { text: "'\"\\ lift\0 \ud800 and \udc00 $1 {{schema}}", pageStarts: null }]
]

const indexText = Effect.fnUntraced(function* (userId: string, documentId: string, parsed: ParsedDocument) {
  const index = yield* passagePorts
  const generation = yield* index.begin({ userId, documentId, parsed, fingerprint: crypto.randomUUID() })
  const passages = [...cutPassages(parsed)]
  for (let from = 0; from < passages.length; from += 100) yield* index.add(generation, passages.slice(from, from + 100))
  yield* index.activate(generation)
})

/** Tests the text that a `PassageIndex` stores with a document's passages. */
export const storedText = (run: Run<PassageStores>) => {
  const known = new Map<ParsedDocument, { readonly userId: string; readonly documentId: string }>()
  /** Returns the document of a text. Each text is indexed once, because a long text takes seconds. */
  const documentOf = Effect.fnUntraced(function* (parsed: ParsedDocument) {
    const found = known.get(parsed)
    if (found !== undefined) return found
    const userId = newUserId()
    const documentId = yield* indexed(userId, ["lift before"])
    yield* indexText(userId, documentId, parsed)
    known.set(parsed, { userId, documentId })
    return { userId, documentId }
  })

  it.each(TEXTS)("a text %s is kept unchanged, and its passages equal it at their offsets", (_, parsed) =>
    run(
      Effect.gen(function* () {
        const { documentId, userId } = yield* documentOf(parsed)
        const stored = yield* (yield* passagePorts).read({ userId, documentId })
        const storable = parsed.text.replaceAll("\0", "\uFFFD").toWellFormed()
        expect(stored?.text === storable).toBe(true)
        expect(stored?.pageStarts).toEqual(parsed.pageStarts)
        expect(stored?.headings).toEqual(parsed.headings)
        expect(stored?.passages.map(({ headings }) => headings)).toEqual(
          [...cutPassages(parsed)].map(({ headings }) => headings)
        )
        expect(stored?.passages.length).toBe([...cutPassages(parsed)].length)
        expect(stored && verifyPassages(stored)).toEqual([])
      })
    )
  )

  it.each(TEXTS)("a text %s is read in stretches that fit together, none of which splits a character", (_, parsed) =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { documentId, userId } = yield* documentOf(parsed)
        const stored = yield* index.read({ userId, documentId })
        const text = stored?.text ?? ""
        const near = [0, 1, 262_143, 262_144, 262_145, 524_287, 524_288, text.length - 1, text.length].flatMap((at) => [
          [at, at],
          [at, at + 1],
          [at, at + 1_000],
          [at - 1_000, at]
        ])
        for (const [from = 0, to = 0] of near.filter(([from = 0]) => from >= 0 && from <= text.length)) {
          const excerpt = yield* index.excerpt({ userId, documentId, from, to })
          expect(excerpt?.text).toBe(text.slice(excerpt?.from, excerpt?.to))
          expect(excerpt?.length).toBe(text.length)
          expect(excerpt?.text.isWellFormed()).toBe(true)
          expect(Math.abs((excerpt?.from ?? NaN) - from)).toBeLessThanOrEqual(1)
          expect(Math.abs((excerpt?.to ?? NaN) - Math.min(to, text.length))).toBeLessThanOrEqual(1)
          if (to > from && from < text.length) expect(excerpt?.text).not.toBe("")
          if (parsed.pageStarts === null) expect(excerpt?.pages).toBe(null)
          else expect(excerpt?.pages?.every(({ end, start }) => start <= end)).toBe(true)
        }
        const beyond = yield* index.excerpt({ userId, documentId, from: text.length + 10, to: text.length + 20 })
        expect(beyond).toMatchObject({ from: text.length, to: text.length, text: "", length: text.length })
      })
    )
  )

  it("a stretch contains its pages", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift before"])
        // Pages 1 and 3 have three characters each, page 2 none, page 4 the rest.
        yield* indexText(userId, documentId, { text: "one" + "two" + "four", pageStarts: [0, 3, 3, 6] })
        const pagesOf = (from: number, to: number) =>
          Effect.map(index.excerpt({ userId, documentId, from, to }), (excerpt) =>
            excerpt?.pages?.map(({ page, start, end }) => [page, start, end])
          )
        expect(yield* pagesOf(0, 10)).toEqual([
          [1, 0, 3],
          [3, 3, 6],
          [4, 6, 10]
        ])
        expect(yield* pagesOf(0, 3)).toEqual([[1, 0, 3]])
        expect(yield* pagesOf(3, 3)).toEqual([[3, 3, 6]])
        expect(yield* pagesOf(5, 7)).toEqual([
          [3, 3, 6],
          [4, 6, 10]
        ])
        expect(yield* pagesOf(10, 10)).toEqual([])
      })
    ))

  it("only its owner reads a stretch of a text, and of no document but an indexed one", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const documents = yield* DocumentStore
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift"])
        const stretch = { from: 0, to: 10 }
        expect((yield* index.excerpt({ userId, documentId, ...stretch }))?.text).toBe("lift")
        expect(yield* index.excerpt({ userId: newUserId(), documentId, ...stretch })).toBeUndefined()
        expect(yield* index.excerpt({ userId, documentId: crypto.randomUUID(), ...stretch })).toBeUndefined()
        expect(yield* index.excerpt({ userId, documentId: "nonsense'", ...stretch })).toBeUndefined()
        yield* documents.remove(userId, documentId)
        expect(yield* index.excerpt({ userId, documentId, ...stretch })).toBeUndefined()
      })
    ))

  it("the text is that of the active generation: the new one's from its activation on", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift before"])
        const document = { userId, documentId }
        const parsed = { text: "lift after", pageStarts: [0] }
        const generation = yield* index.begin({ ...document, parsed, fingerprint: "new" })
        expect((yield* index.read(document))?.text).toBe("lift before")
        yield* index.add(generation, [...cutPassages(parsed)])
        yield* index.activate(generation)
        const passages = [{ ordinal: 0, page: 1, start: 0, end: 10, text: "lift after" }]
        expect(yield* index.read(document)).toEqual({ ...parsed, passages })
      })
    ))

  it("a document that was deleted, is of another person, or never was has no text", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift"])
        expect(yield* index.read({ userId: newUserId(), documentId })).toBeUndefined()
        expect(yield* index.read({ userId, documentId: crypto.randomUUID() })).toBeUndefined()
        expect(yield* index.read({ userId, documentId: "nonsense'" })).toBeUndefined()
        yield* (yield* DocumentStore).remove(userId, documentId)
        expect(yield* index.read({ userId, documentId })).toBeUndefined()
      })
    ))
}
