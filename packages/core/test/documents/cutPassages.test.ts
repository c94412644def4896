import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Passage } from "@parley/core/adapter"
import type { ParsedDocument } from "@parley/core/adapter"
import { cutPassages, PASSAGE_LENGTH, PASSAGE_TOKENS } from "../../src/documents/indexing/cutPassages.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"
import { processorTime } from "../processorTime.ts"

const sentences = (count: number, word = "lift") =>
  Array.from({ length: count }, (_, index) => `Sentence ${index} speaks of ${word} and drag at some length.`).join(" ")

/** Pages one after another, as a parser gives them. */
const paged = (pages: ReadonlyArray<string>): ParsedDocument => {
  const pageStarts: Array<number> = []
  let text = ""
  for (const page of pages) {
    pageStarts.push(text.length)
    text += `${page}\n`
  }
  return { text, pageStarts }
}

const expectSound = (document: ParsedDocument) => {
  const { pageStarts, text } = document
  const passages = [...cutPassages(document)]
  let end = 0
  passages.forEach((passage, index) => {
    expect(passage.ordinal).toBe(index)
    expect(text.slice(passage.start, passage.end)).toBe(passage.text)
    expect(passage.text.trim()).toBe(passage.text)
    expect(passage.text).not.toBe("")
    expect(passage.text.length).toBeLessThanOrEqual(PASSAGE_LENGTH.max)
    expect(text.slice(end, passage.start).trim()).toBe("")
    end = passage.end
    if (text.isWellFormed()) expect(passage.text.isWellFormed()).toBe(true)
    if (pageStarts === null) expect(passage.page).toBeNull()
    else {
      expect(pageStarts[passage.page! - 1]).toBeLessThanOrEqual(passage.start)
      expect(pageStarts[passage.page!] ?? Infinity).toBeGreaterThan(passage.start)
    }
  })
  expect(text.slice(end).trim()).toBe("")
  return passages
}

describe("cutPassages", () => {
  it("keeps offsets exact, covers all that is not blank, overlaps nowhere and splits no character, for any text", () => {
    const piece = fc.oneof(
      fc.constantFrom(" ", "\n", "\n\n", ". ", "。", "😀", "\u00a0", "# ", "日本語", "!", "\t", "\ud83d", "עברית "),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.integer({ min: 1, max: 3000 }).map((length) => "x".repeat(length)),
      fc.integer({ min: 1, max: 900 }).map((length) => "😀".repeat(length)),
      fc.integer({ min: 1, max: 60 }).map((count) => sentences(count))
    )
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""))
    const document = fc.oneof(
      text.map((text) => ({ text, pageStarts: null })),
      fc.array(text, { minLength: 1, maxLength: 6 }).map(paged)
    )
    fc.assert(
      fc.property(document, (document) => void expectSound(document)),
      { numRuns: 300 }
    )
  })

  it("aims at 800 to 1,100 characters and leaves no scrap at the end", () => {
    const passages = expectSound({ text: sentences(400), pageStarts: null })
    for (const { text } of passages.slice(0, -2)) expect(text.length).toBeGreaterThan(PASSAGE_LENGTH.aim)
    for (const { text } of passages) expect(text.length).toBeGreaterThan(400)
    for (const { text } of passages) expect(text.endsWith(".")).toBe(true)
  })

  it("prefers the end of a paragraph to the end of a sentence, and the line before a heading to both", () => {
    const paragraphs = `${sentences(17)}\n\n${sentences(30, "thrust")}`
    expect(expectSound({ text: paragraphs, pageStarts: null })[0]?.text).toBe(sentences(17))
    const chapters = `${sentences(16)}\n\n# Thrust\n\n${sentences(2)}\n\n${sentences(40, "thrust")}`
    const headings = [{ level: 1, title: "Thrust", start: chapters.indexOf("# Thrust") }]
    const [first, second] = expectSound({ text: chapters, pageStarts: null, headings })
    expect(first?.text).toBe(sentences(16))
    expect(second?.text.startsWith("# Thrust")).toBe(true)
  })

  it("never goes over a page, however short the pages are", () => {
    const passages = expectSound(paged(["First page.", "Second page.", sentences(80), "Last page."]))
    expect(passages.map(({ page }) => page)).toEqual([1, 2, 3, 3, 3, 3, 4])
  })

  it("leaves a sentence over a page break whole, with the page it starts on", () => {
    const passages = expectSound(paged(["The first law holds. The wing carries", "the whole weight. Then it stalls."]))
    expect(passages.map(({ page, text }) => [page, text])).toEqual([
      [1, "The first law holds. The wing carries\nthe whole weight."],
      [2, "Then it stalls."]
    ])
    const japanese = expectSound(paged(["法則は成り立つ。翼は全体の", "重さを支える。そして失速する。"]))
    expect(japanese.map(({ page, text }) => [page, text])).toEqual([
      [1, "法則は成り立つ。翼は全体の\n重さを支える。"],
      [2, "そして失速する。"]
    ])
  })

  it("does not treat a page that begins again as a continuation", () => {
    const title = expectSound(paged(["Contents", "Chapter one. It begins."]))
    expect(title.map(({ page }) => page)).toEqual([1, 2])
    const list = expectSound(paged(["We need:", "apples and pears."]))
    expect(list.map(({ page }) => page)).toEqual([1, 2])
    const endless = expectSound(paged(["it goes on", `and ${"on and ".repeat(150)}`, "End."]))
    expect(endless.map(({ page }) => page)).toEqual([1, 2, 3])
  })

  it("numbers pages past blank ones", () => {
    const passages = expectSound(paged(["", "Two.", "", "", "Five."]))
    expect(passages.map(({ page }) => page)).toEqual([2, 5])
    expect(expectSound({ text: "", pageStarts: [0, 0] })).toEqual([])
    expect(expectSound({ text: " \n\n ", pageStarts: null })).toEqual([])
    expect(expectSound({ text: "x", pageStarts: [0, 0, 0] }).map(({ page }) => page)).toEqual([3])
  })

  it("aims at 320 to 450 tokens in scripts that take more of them, and never has many more", () => {
    const texts = {
      chinese: "法律规定，双方当事人应当按照约定履行自己的义务。".repeat(300),
      russian: "Стороны согласовали срок оплаты поставленного товара и порядок его приёмки. ".repeat(150),
      thai: "ภาษาไทยเป็นภาษาที่ใช้กันในประเทศไทย ".repeat(300),
      digits: "0123456789".repeat(2_000)
    }
    for (const text of Object.values(texts)) {
      const passages = expectSound({ text, pageStarts: null })
      const tokens = passages.map((passage) => pieceTokenizer.count(passage.text).estimate)
      for (const count of tokens.slice(0, -2)) expect(count).toBeGreaterThan(PASSAGE_TOKENS.aim / 2)
      for (const count of tokens) expect(count).toBeLessThanOrEqual(PASSAGE_TOKENS.max * 1.1)
    }
    expect(
      Math.max(...expectSound({ text: texts.chinese, pageStarts: null }).map(({ text }) => text.length))
    ).toBeLessThan(800)
  })

  it("ends passages between rows of tables and between items of lists, and not at a sentence within one", () => {
    const row = (index: number) => `Part: Blade ${index}\tNote: Worn. To be replaced soon. Or later\tWear: ${index} mm`
    const rows = Array.from({ length: 120 }, (_, index) => row(index)).join("\n")
    for (const { text } of expectSound({ text: rows, pageStarts: null })) {
      expect(text.startsWith("Part:")).toBe(true)
      expect(text.endsWith("mm")).toBe(true)
    }
    const items = Array.from({ length: 120 }, (_, index) => `- Item ${index}. It has a sentence of its own and more`)
    for (const { text } of expectSound({ text: items.join("\n"), pageStarts: null }))
      expect(text.startsWith("- Item")).toBe(true)
    // A row longer than a passage is cut between its cells.
    const wide = Array.from({ length: 200 }, (_, index) => `Column ${index}: some value`).join("\t")
    for (const { text } of expectSound({ text: wide, pageStarts: null })) expect(text.startsWith("Column")).toBe(true)
  })

  it("cuts one line of 2 MB in time that grows with its length only", () => {
    for (const line of [
      "x".repeat(2_000_000),
      "word ".repeat(400_000),
      "。".repeat(2_000_000),
      " ".repeat(2_000_000)
    ]) {
      const took = processorTime()
      expectLength([...cutPassages({ text: line, pageStarts: null })], line)
      expect(took()).toBeLessThan(20_000)
    }
  })
})

const expectLength = (passages: ReadonlyArray<Passage>, line: string) => {
  const covered = passages.reduce((total, { text }) => total + text.length, 0)
  expect(line.trim().length - covered).toBeLessThanOrEqual(passages.length)
}
