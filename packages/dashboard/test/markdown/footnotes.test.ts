import { describe, expect, it } from "vitest"
import fc from "fast-check"
import { isNote, isNoteMark } from "../../app/markdown/footnotes.ts"
import { lexMarkdown } from "../../app/markdown/lexMarkdown.ts"

const notesOf = (text: string) =>
  lexMarkdown(text)
    .filter(isNote)
    .map(({ label, tokens }) => [label, tokens.map(({ raw }) => raw).join("")])

describe("footnotes", () => {
  it("a mark stands in its line, and notes after an empty line or one another are paragraphs", () => {
    const text = "Storks fly.[^1] Herons stay.[^b]\n\n[^1]: To *Mali*,\nmostly.\n[^b]: Some do.\n\nEnd."
    const [first] = lexMarkdown(text)
    const inline = first !== undefined && "tokens" in first ? (first.tokens ?? []) : []
    expect(inline.filter(isNoteMark).map(({ label }) => label)).toEqual(["1", "b"])
    expect(notesOf(text)).toEqual([
      ["1", "To *Mali*,\nmostly."],
      ["b", "Some do."]
    ])
    expect(lexMarkdown(text).at(-1)?.raw).toBe("End.")
  })

  it.each(["[^]: none", "[^a b]: spaces", `[^${"x".repeat(33)}]: long`, "a [^1]: within a line", "    [^1]: code"])(
    "%s is no note",
    (text) => {
      expect(notesOf(text)).toEqual([])
    }
  )

  it("no text with marks and brackets is lost: the blocks together are the text", () => {
    const piece = fc.constantFrom("[^1]", "[^", "]", ":", " ", "\n", "\n\n", "word", "[^2]: ", "`", "*", "[a](b)")
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("")
        const raws = lexMarkdown(text).map(({ raw }) => raw)
        // The lexer changes the white space of empty lines.
        expect(raws.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""))
      })
    )
  })
})
