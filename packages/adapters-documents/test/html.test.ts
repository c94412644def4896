import { headingPath } from "@parley/core/reading"
import { describe, expect, it } from "vitest"
import { parseHtml } from "../src/parsing/html/parseHtml.ts"

const parse = (html: string) => parseHtml(new TextEncoder().encode(html))
const textOf = (html: string) => parse(html).text

describe("the text of a page", () => {
  it("has its blocks apart, its lines and lists as they are read, and white space where it is shown", () => {
    expect(
      textOf(
        "<p>One   <b>two</b>\n three<br>four&nbsp;&amp; five</p>six<div>seven</div><ol start=3><li>a<li><p>b</ol>end"
      )
    ).toBe("One two three\nfour & five\n\nsix\nseven\n\n3. a\n4. b\n\nend")
    expect(textOf("<pre>  a\n    b</pre>c")).toBe("  a\n    b\n\nc")
    expect(textOf("<ul><li>one<ul><li>deep</ul><li>two</ul>")).toBe("- one\n  - deep\n- two")
    expect(textOf('<p>before <img src=x alt="a chart"> after')).toBe("before a chart after")
  })

  it("leaves out programs, styles, menus, fields, and all other invisible text", () => {
    const hidden = [
      "<script>no()</script>",
      "<style>no {}</style>",
      "<nav><ul><li>no</ul></nav>",
      "<template><p>no</template>",
      "<noscript>no</noscript>",
      "<svg><text>no</text></svg>",
      "<select><option>no</select>",
      "<button>no</button>",
      "<p hidden>no</p>",
      '<div style="color:red; display : none"><p>no</p></div>',
      '<span aria-hidden="true">no</span>',
      "<!-- no -->",
      "<script>'</p>' + '<p>no</p>'</script>"
    ]
    expect(textOf(`<p>Yes.</p>${hidden.join("")}<p>Also.</p>`)).toBe("Yes.\n\nAlso.")
    expect(textOf("<p>Yes.</p><script>no")).toBe("Yes.")
  })

  it("has headings at their offsets, its title above them where no heading of the page is the first", () => {
    const { headings = [], text } = parse(
      "<title>Shop</title><h2>Fees<br>and <i>taxes</i></h2><p>Text.<h3>Late</h3>Interest. Forged: &#xFDD0;"
    )
    expect(text).toBe("Shop\n\nFees and taxes\n\nText.\n\nLate\n\nInterest. Forged: \ufffd")
    expect(headings).toEqual([
      { level: 1, title: "Shop", start: 0 },
      { level: 2, title: "Fees and taxes", start: text.indexOf("Fees") },
      { level: 3, title: "Late", start: text.indexOf("Late") }
    ])
    expect(headingPath(headings, text.indexOf("Interest"))).toEqual(["Shop", "Fees and taxes", "Late"])
    expect(textOf("<title>Shop</title><h1>Welcome</h1>")).toBe("Welcome")
  })
})

describe("a table of a page", () => {
  it("has a line for each row, with the names of its columns where it has some", () => {
    expect(
      textOf("<table><caption>Wear</caption><tr><th>Part<th>Wear, mm<tr><td>Blade<td>0.4<tr><td>Hub<td></table>")
    ).toBe("Wear\n\nPart\tWear, mm\nPart: Blade\tWear, mm: 0.4\nPart: Hub")
    expect(textOf("<table><tr><td>Part<td>Wear<tr><td>Blade<td>0.4 mm</table>")).toContain("Part: Blade\tWear: 0.4 mm")
  })

  it("has no names where its first row is one of values", () => {
    expect(textOf("<table><tr><td>Name<td>Ann<tr><td>City<td>Rome</table>")).toBe("Name\tAnn\nCity\tRome")
    expect(textOf("<table><tr><td>2023<td>7<td>1<tr><td>2024<td>8<td>2</table>")).toBe("2023\t7\t1\n2024\t8\t2")
  })

  it("keeps values under their columns where cells cover several", () => {
    const table =
      "<table><tr><th>Part<th colspan=2>Wear<th>Note<tr><td rowspan=2>Blade<td>1<td>2<td rowspan=2>old<tr><td>3<td>4</table>"
    expect(textOf(table)).toBe(
      "Part\tWear\tWear\tNote\nPart: Blade\tWear: 1\tWear: 2\tNote: old\nPart: Blade\tWear: 3\tWear: 4\tNote: old"
    )
  })

  it("that lays out a page is read as what it holds", () => {
    const { headings = [], text } = parse(
      "<table><tr><td><h2>Side</h2>left<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>"
    )
    expect(text).toBe("Side\n\nleft\n\na\tb\na: 1\tb: 2")
    expect(headings).toEqual([{ level: 2, title: "Side", start: 0 }])
    expect(textOf("<table><tr><td>one<tr><td>two</table>")).toBe("one\n\ntwo")
  })
})

describe("any page is read, in time and memory that its length bounds", () => {
  it.each([
    ["20,000 elements in each other", `${"<div>".repeat(20_000)}core`],
    ["20,000 tables in each other", `${"<table><tr><td>".repeat(20_000)}core`],
    ["20,000 lists in each other", `${"<ul><li>".repeat(20_000)}core`],
    ["20,000 emphases, closed in another order", `${"<b><i>".repeat(10_000)}core${"</b></i>".repeat(10_000)}`],
    ["ends of what never began", `${"</table></td></h1></pre></title>".repeat(20_000)}core`],
    ["cells that cover all others", `<table>${"<tr><td rowspan=65534 colspan=1000>x<td>y".repeat(20_000)}</table>core`],
    ["an unfinished tag", `core<p ${"a=1 ".repeat(200_000)}`]
  ])("%s", (_, html) => {
    const began = process.threadCpuUsage()
    const { text } = parse(html)
    expect(text).toContain("core")
    expect(text.length).toBeLessThan(html.length * 2)
    expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(20_000)
  })
})
