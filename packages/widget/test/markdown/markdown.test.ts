import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Block, Inline } from "../../app/frame/markdown/Markdown.ts"
import { readBlocks } from "../../app/frame/markdown/parseBlocks.ts"
import { hostileReplies } from "../../../../test/support/hostileReplies.ts"

const read = (text: string): ReadonlyArray<Block> => readBlocks(text).map(({ block }) => block)
const plain = (text: string): Inline => ({ type: "text", text })
const paragraph = (...parts: ReadonlyArray<Inline>): Block => ({ type: "paragraph", parts })

/** Every inline part of a text, however deep. */
const partsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Inline> => {
  const within = (parts: ReadonlyArray<Inline>): ReadonlyArray<Inline> =>
    parts.flatMap((part) => [part, ...("parts" in part ? within(part.parts) : [])])
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "paragraph":
      case "heading":
        return within(block.parts)
      case "quote":
        return partsOf(block.blocks)
      case "list":
        return block.items.flatMap(partsOf)
      case "table":
        return block.rows.flat().flatMap(within)
      default:
        return []
    }
  })
}

/** The words that are shown of a text. */
const wordsOf = (text: string): string =>
  partsOf(read(text))
    .map((part) => ("text" in part ? part.text : ""))
    .join("")

describe("markdown", () => {
  it.each<[string, ReadonlyArray<Inline>]>([
    ["a **b** c", [plain("a "), { type: "strong", parts: [plain("b")] }, plain(" c")]],
    [
      "*a* _b_ ~~c~~",
      [
        { type: "emphasis", parts: [plain("a")] },
        plain(" "),
        { type: "emphasis", parts: [plain("b")] },
        plain(" "),
        { type: "struck", parts: [plain("c")] }
      ]
    ],
    ["***a***", [{ type: "strong", parts: [{ type: "emphasis", parts: [plain("a")] }] }]],
    ["**a *b* c**", [{ type: "strong", parts: [plain("a "), { type: "emphasis", parts: [plain("b")] }, plain(" c")] }]],
    ["2 * 3 * 4 and snake_case_name and ** a **", [plain("2 * 3 * 4 and snake_case_name and ** a **")]],
    ["`a ** b` and ``c ` d``", [{ type: "code", text: "a ** b" }, plain(" and "), { type: "code", text: "c ` d" }]],
    [
      '[a **b**](https://acme.test/x_(y) "t")',
      [
        {
          type: "link",
          address: "https://acme.test/x_(y)",
          parts: [plain("a "), { type: "strong", parts: [plain("b")] }]
        }
      ]
    ],
    ["![a](https://acme.test/a.png)", [{ type: "image", address: "https://acme.test/a.png", text: "a" }]],
    [
      "See https://acme.test/a, (https://acme.test/b).",
      [
        plain("See "),
        { type: "link", address: "https://acme.test/a", parts: [plain("https://acme.test/a")] },
        plain(", ("),
        { type: "link", address: "https://acme.test/b", parts: [plain("https://acme.test/b")] },
        plain(").")
      ]
    ],
    [
      "so [1] and [2, 3]",
      [
        plain("so "),
        { type: "citation", numbers: [1], text: "[1]" },
        plain(" and "),
        { type: "citation", numbers: [2, 3], text: "[2, 3]" }
      ]
    ],
    ["a  \nb\nc<br>d", [plain("a"), { type: "break" }, plain("b c"), { type: "break" }, plain("d")]],
    ["\\*a\\* &amp; &#65; &nosuch; <b>", [plain("*a* & A &nosuch; <b>")]]
  ])("reads %s", (text, parts) => {
    expect(read(text)).toEqual([paragraph(...parts)])
  })

  it("reads blocks: headings, lists in lists, quotes, code, tables and rules", () => {
    const text = [
      "# One",
      "",
      "Two",
      "---",
      "- a",
      "  - b",
      "- c",
      "",
      "3. x",
      "4. y",
      "",
      "> q",
      "goes on",
      "",
      "```js",
      "<b> **no**",
      "```",
      "| h | k |",
      "|---|--:|",
      "| 1 | `2|3` |",
      "",
      "***"
    ].join("\n")
    const item = (...blocks: ReadonlyArray<Block>) => blocks
    expect(read(text)).toEqual([
      { type: "heading", level: 1, parts: [plain("One")] },
      { type: "heading", level: 2, parts: [plain("Two")] },
      {
        type: "list",
        start: undefined,
        items: [
          item(paragraph(plain("a")), { type: "list", start: undefined, items: [item(paragraph(plain("b")))] }),
          item(paragraph(plain("c")))
        ]
      },
      { type: "list", start: 3, items: [item(paragraph(plain("x"))), item(paragraph(plain("y")))] },
      { type: "quote", blocks: [paragraph(plain("q goes on"))] },
      { type: "code", text: "<b> **no**" },
      {
        type: "table",
        alignments: ["start", "end"],
        rows: [
          [[plain("h")], [plain("k")]],
          [[plain("1")], [plain("`2")]]
        ]
      },
      { type: "rule" }
    ])
  })

  it("loses no word of a text without marks", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        expect(wordsOf(words.join(" "))).toBe(words.join(" "))
      })
    )
  })

  it("reads any text, wherever it is cut", () => {
    const marks = fc.constantFrom(
      "*",
      "**",
      "_",
      "`",
      "```",
      "~~",
      "[",
      "](",
      ")",
      "![",
      "<",
      ">",
      "|",
      "-",
      "#",
      "\n",
      "\n\n",
      "1. ",
      "  ",
      "\\",
      "&",
      "https://",
      "a",
      "[1]"
    )
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 60 }), (parts) => {
        expect(() => read(parts.join(""))).not.toThrow()
      }),
      { numRuns: 2_000 }
    )
    for (const text of hostileReplies) for (let end = 0; end <= text.length; end += 1) read(text.slice(0, end))
  })

  it.each([
    "*",
    "**",
    "_",
    "`",
    "[",
    "![",
    "](",
    "~~",
    "> ",
    "- ",
    "1. ",
    "|",
    "<",
    "&",
    "\\",
    "#",
    "a\n",
    "**a",
    "[a](",
    "\n```\n"
  ])("reads what repeats %j in time that grows with its length", (mark) => {
    // Ten thousand marks in steps that grow as the square would take minutes; the test's own limit of time notices.
    for (const text of [mark.repeat(20_000), `${mark}x `.repeat(10_000)]) expect(read(text)).toBeDefined()
  })
})
