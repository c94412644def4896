import { Effect } from "effect"
import { expect, it } from "vitest"
import { cutPassages } from "../../documents/cutPassages.ts"
import { DocumentStore } from "../../documents/DocumentStore.ts"
import type { ParsedDocument } from "../../documents/DocumentParser.ts"
import { PassageIndex } from "../../documents/PassageIndex.ts"
import { verifyPassages } from "../../documents/verifyPassages.ts"
import { indexed, type PassageStores } from "./passageIndexFixtures.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import type { Run } from "../suiteOn.ts"

/** Long enough for several parts of any size; every other character is a surrogate pair. */
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
  ["with a blank first page", { text: "\n lift", pageStarts: [0, 1] }],
  ["of quotes, NUL and lone surrogates", { text: "'\"\\ lift\0 \ud800 and \udc00 $1 {{schema}}", pageStarts: null }]
]

const indexText = Effect.fnUntraced(function* (userId: string, documentId: string, parsed: ParsedDocument) {
  const index = yield* PassageIndex
  const generation = yield* index.begin({ userId, documentId, parsed, fingerprint: crypto.randomUUID() })
  const passages = [...cutPassages(parsed)]
  for (let from = 0; from < passages.length; from += 100) yield* index.add(generation, passages.slice(from, from + 100))
  yield* index.activate(generation)
})

/** The text that a `PassageIndex` keeps with a document's passages. */
export const storedText = (run: Run<PassageStores>) => {
  it.each(TEXTS)("a text %s is kept as it was, and its passages are what it has at their offsets", (_, parsed) =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift before"])
        yield* indexText(userId, documentId, parsed)
        const stored = yield* (yield* PassageIndex).read({ userId, documentId })
        const storable = parsed.text.replaceAll("\0", "\uFFFD").toWellFormed()
        expect(stored?.text === storable).toBe(true)
        expect(stored?.pageStarts).toEqual(parsed.pageStarts)
        expect(stored?.passages.length).toBe([...cutPassages(parsed)].length)
        expect(stored && verifyPassages(stored)).toEqual([])
      })
    )
  )

  it("the text is that of the active generation: the new one's from its activation on", () =>
    run(
      Effect.gen(function* () {
        const index = yield* PassageIndex
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
        const index = yield* PassageIndex
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
