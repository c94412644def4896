import type { Passage } from "@parley/core/adapter"
import { type IndexedDocument, verifyPassages } from "@parley/core/adapter"
import { cutPassages } from "../../src/documents/indexing/cutPassages.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const line = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.constantFrom("", " \t ", "Lift grows with speed. ".repeat(40), "揚力とは翼が生む力である。".repeat(30))
)
const parsed = fc.record({ lines: fc.array(line, { maxLength: 30 }), paged: fc.boolean() }).map(({ lines, paged }) => ({
  text: lines.join("\n"),
  pageStarts: paged ? lines.map((_, at) => lines.slice(0, at).join("\n").length + (at === 0 ? 0 : 1)) : null
}))

const sound: IndexedDocument = {
  text: "Lift one. Lift two. Lift three.",
  pageStarts: [0, 10],
  passages: [
    { ordinal: 0, page: 1, start: 0, end: 9, text: "Lift one." },
    { ordinal: 1, page: 2, start: 10, end: 19, text: "Lift two." },
    { ordinal: 2, page: 2, start: 20, end: 31, text: "Lift three." }
  ]
}

const changed = (ordinal: number, change: Partial<Passage>): IndexedDocument => ({
  ...sound,
  passages: sound.passages.map((passage) => (passage.ordinal === ordinal ? { ...passage, ...change } : passage))
})

describe("verifyPassages", () => {
  it("finds nothing wrong with passages cut from any text", () => {
    fc.assert(
      fc.property(parsed, (document) => {
        expect(verifyPassages({ ...document, passages: [...cutPassages(document)] })).toEqual([])
      })
    )
    expect(verifyPassages(sound)).toEqual([])
  })

  it.each([
    ["another text", changed(1, { text: "Lift too." }), [{ _tag: "TextDiffers", ordinal: 1 }]],
    [
      "shifted offsets",
      changed(2, { start: 19, end: 30 }),
      [
        { _tag: "TextDiffers", ordinal: 2 },
        { _tag: "NotCovered", start: 30, end: 31 }
      ]
    ],
    ["another page", changed(1, { page: 1 }), [{ _tag: "PageDiffers", ordinal: 1 }]],
    ["no page where there are pages", changed(1, { page: null }), [{ _tag: "PageDiffers", ordinal: 1 }]],
    [
      "a passage that is missing",
      { ...sound, passages: sound.passages.toSpliced(1, 1) },
      [
        { _tag: "OutOfOrder", ordinal: 2, expected: 1 },
        { _tag: "NotCovered", start: 9, end: 20 }
      ]
    ],
    [
      "no last passage",
      { ...sound, passages: sound.passages.slice(0, 2) },
      [{ _tag: "NotCovered", start: 19, end: 31 }]
    ],
    ["no text", { ...sound, text: "" }, [0, 1, 2].map((ordinal) => ({ _tag: "TextDiffers", ordinal }))],
    [
      "an overlap",
      changed(1, { start: 5, end: 19, page: 1, text: "one. Lift two." }),
      [{ _tag: "Overlapping", start: 5, end: 9 }]
    ]
  ] as const)("finds %s", (_, document, problems) => {
    expect(verifyPassages(document)).toEqual(problems)
  })
})
