import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { CitationsContext } from "../../app/markdown/Citations.ts"
import { Markdown } from "../../app/markdown/Markdown.tsx"
import { tidyTail } from "../../app/markdown/tidyTail.ts"
import { english } from "../../app/messages/catalogue.ts"
import { MessagesProvider } from "../../app/messages/MessagesProvider.tsx"

const citations = {
  numbers: new Set([1, 2]),
  label: (number: number) => `Source ${number}`,
  onOpen: () => undefined
}

const drawn = (text: string, isGrowing = false): string =>
  renderToStaticMarkup(
    createElement(MessagesProvider, {
      initial: { language: "en", catalogue: english },
      children: createElement(CitationsContext, {
        value: citations,
        children: createElement(Markdown, { text, isGrowing })
      })
    })
  )
    .replace(/ (?:class|data-markdown|data-depth)="[^"]*"/g, "")
    .replace(/^<div>|<\/div>$/g, "")

describe("a reply's markdown", () => {
  it.each([
    ["emphasis", "**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>"],
    ["headings, below those of the page", "# A\n### B", "<h3>A</h3><h3>B</h3>"],
    ["lists", "- a\n- b\n\n3. c", '<ul><li>a</li><li>b</li></ul><ol start="3"><li>c</li></ol>'],
    ["quotes", "> a", "<blockquote><p>a</p></blockquote>"],
    ["characters by name", "a &amp; b &mdash; c", "<p>a &amp; b — c</p>"],
    ["formulas", "$x^2$ costs $5 or $6", "<p><span><code>x^2</code></span> costs $5 or $6</p>"]
  ])("shows %s", (_what, text, html) => {
    expect(drawn(text)).toBe(html)
  })

  it("shows tables with their alignment", () => {
    const html = drawn("| a | b |\n|:--|--:|\n| 1 | 2 |")
    expect(html).toContain('<th data-align="right" scope="col">b</th>')
    expect(html).toContain('<td data-align="left">1</td>')
  })

  it("leads from a citation to its source, and leaves other brackets alone", () => {
    const html = drawn("Yes [1], [1, 2], but not [3] or a[0].")
    expect(html.match(/aria-label="Source \d"/g)).toHaveLength(3)
    expect(html).toContain("but not [3] or a[0].")
  })

  it("shows pictures as links, and loads none", () => {
    expect(drawn("![A cat](https://example.org/cat.png)")).toContain(">A cat</a>")
    expect(drawn("![A cat](https://example.org/cat.png)")).not.toContain("<img")
  })
})

describe("a reply that is still being written", () => {
  it.each([
    ["closes what is open", "a **b", "a **b**"],
    ["does not show a mark before its word", "a **", "a "],
    ["closes code", "a `b c", "a `b c`"],
    ["leaves code alone", "```js\na ** b", "```js\na ** b"],
    ["waits for the second row of a table", "| a | b |\n|--", ""],
    ["waits for a whole link", "see [the page](https://exam", "see the page"],
    ["does not take a lone dash for an underline", "a title\n-", "a title\n"],
    ["waits for a whole formula", "so $$\\frac{a", "so "],
    ["touches only its last paragraph", "a ** b\n\nc **d", "a ** b\n\nc **d**"]
  ])("%s", (_what, before, after) => {
    expect(tidyTail(before)).toBe(after)
  })
})
