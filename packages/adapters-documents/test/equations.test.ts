import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { slideText } from "../src/parsing/office/parsePptx.ts"
import { writeDocx } from "./fixtures/writeDocx.ts"

const MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'

const r = (text: string) => `<m:r><w:rPr><w:i/></w:rPr><m:t>${text}</m:t></m:r>`
const argument = (name: string, content: string) => `<m:${name}>${content}</m:${name}>`
const e = (content: string) => argument("e", content)
const structure = (name: string, ...parts: ReadonlyArray<string>) => argument(name, parts.join(""))
const properties = (name: string, values: Readonly<Record<string, string>>) =>
  argument(
    `${name}Pr`,
    Object.entries(values)
      .map(([property, value]) => `<m:${property} m:val="${value}"/>`)
      .join("")
  )
const fraction = (above: string, below: string) => structure("f", argument("num", above), argument("den", below))
const power = (base: string, exponent: string) => structure("sSup", e(base), argument("sup", exponent))
const delimited = (content: string) => structure("d", e(content))
const row = (...cells: ReadonlyArray<string>) => argument("mr", cells.map(e).join(""))

const equation = (content: string) => `<m:oMathPara ${MATH}><m:oMath>${content}</m:oMath></m:oMathPara>`
const paragraph = (content: string) => `<w:p>${content}</w:p>`

const parse = (bodyXml: string) => parseDocument("docx", writeDocx([], { bodyXml }), DEFAULT_PARSER_LIMITS)
const textOf = async (content: string) => (await parse(paragraph(equation(content)))).text

describe("an equation of a Word document", () => {
  it.each<[string, string, string]>([
    ["a fraction", fraction(r("a"), r("b")), "a/b"],
    ["a fraction of sums", fraction(r("a+b"), r("2") + r("c")), "(a+b)/(2c)"],
    ["a power", power(r("x"), r("2")), "x^2"],
    ["a power of a power", power(r("x"), power(r("y"), r("2"))), "x^(y^2)"],
    ["a power of a sum", power(delimited(r("a+b")), r("n")), "(a+b)^n"],
    ["an index", structure("sSub", e(r("x")), argument("sub", r("i+1"))), "x_(i+1)"],
    ["both", structure("sSubSup", e(r("x")), argument("sub", r("i")), argument("sup", r("2"))), "x_i^2"],
    ["a root", structure("rad", properties("rad", { degHide: "1" }), argument("deg", ""), e(r("a+b"))), "√(a+b)"],
    ["a third root", structure("rad", argument("deg", r("3")), e(r("x"))), "root_3(x)"],
    [
      "a sum",
      structure(
        "nary",
        properties("nary", { chr: "∑" }),
        argument("sub", r("i=1")),
        argument("sup", r("n")),
        e(r("i"))
      ),
      "∑_(i=1)^n i"
    ],
    ["an integral", structure("nary", argument("sub", r("0")), argument("sup", r("∞")), e(r("f"))), "∫_0^∞ f"],
    [
      "a matrix",
      structure(
        "d",
        properties("d", { begChr: "", endChr: "" }),
        e(structure("m", row(r("1"), r("0")), row("", r("k"))))
      ),
      "[1, 0; , k]"
    ],
    [
      "a limit",
      structure(
        "func",
        argument("fName", structure("limLow", e(r("lim")), argument("lim", r("n→∞")))),
        e(fraction(r("1"), r("n")))
      ),
      "lim_(n→∞)(1/n)"
    ],
    ["a function", structure("func", argument("fName", r("sin")), e(r("x"))), "sin(x)"],
    ["a magnitude", structure("d", properties("d", { begChr: "|", endChr: "|" }), e(r("v"))), "|v|"],
    [
      "cases",
      structure("d", properties("d", { begChr: "{", endChr: "" }), e(structure("eqArr", e(r("0")), e(r("1"))))),
      "{0; 1"
    ],
    ["a mean", structure("bar", properties("bar", { pos: "top" }), e(r("x"))), "overline(x)"],
    ["a vector", structure("acc", properties("acc", { chr: "\u20d7" }), e(r("v"))), "v\u20d7"],
    ["signs of XML", r("a&lt;b&amp;c"), "a<b&c"],
    [
      "the solution of x² + px + q = 0",
      structure("sSub", e(r("x")), argument("sub", r("1,2"))) +
        r("=-") +
        fraction(r("p"), r("2")) +
        r("±") +
        structure(
          "rad",
          properties("rad", { degHide: "on" }),
          e(power(delimited(fraction(r("p"), r("2"))), r("2")) + r("-q"))
        ),
      "x_1,2=-p/2±√((p/2)^2-q)"
    ]
  ])("is one line of text: %s", async (_, content, text) => {
    expect(await textOf(content)).toBe(text)
  })

  it("stands in its paragraph, and keeps letters apart from what it builds", async () => {
    const energy = r("E=m") + power(r("c"), r("2")) + r("t")
    const xml = paragraph(`<w:r><w:t>With </w:t></w:r><m:oMath ${MATH}>${energy}</m:oMath><w:r><w:t>.</w:t></w:r>`)
    expect((await parse(xml)).text).toBe("With E=m c^2 t.")
    const two = `<m:oMathPara ${MATH}><m:oMath>${r("a=1")}</m:oMath><m:oMath>${r("b=2")}</m:oMath></m:oMathPara>`
    expect((await parse(paragraph(two))).text).toBe("a=1; b=2")
  })

  it("that is nested without end keeps its letters, in time", async () => {
    const depth = 1_000
    const content = `${"<m:f><m:num>".repeat(depth)}${r("deep")}${"</m:num></m:f>".repeat(depth)}`
    expect(await textOf(r("a") + content + r("z"))).toMatch(/^a.*deep.*z$/u)
    const many = Array.from({ length: 20_000 }, () => power(r("x"), r("2"))).join("")
    expect(await textOf(many)).toHaveLength(20_000 * "x^2 ".length - 1)
  })
})

it("an equation of a slide is text in its paragraph", () => {
  const xml =
    `<p:sld xmlns:p="p" xmlns:a="a" ${MATH}><p:sp><a:p><a:r><a:t>Area </a:t></a:r>` +
    `<a14:m xmlns:a14="a14"><m:oMath>${r("π") + power(r("r"), r("2"))}</m:oMath></a14:m></a:p></p:sp></p:sld>`
  expect(slideText(new TextEncoder().encode(xml))).toBe("Area π r^2")
})

describe("an outline level of a single paragraph", () => {
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
  const leveled = (level: string, text: string, style = "") =>
    paragraph(`<w:pPr>${style}<w:outlineLvl w:val="${level}"/></w:pPr>${run(text)}`)

  it("makes it a heading, over the level of its style", async () => {
    const heading = '<w:pStyle w:val="Heading1"/>'
    const { headings, text } = await parse(
      leveled("1", "Chapter") +
        paragraph(run("Words.")) +
        leveled("9", "No heading", heading) +
        leveled("2", "Deeper", heading) +
        leveled("x", "Unknown", heading)
    )
    expect(text).toBe("Chapter\n\nWords.\n\nNo heading\n\nDeeper\n\nUnknown")
    expect(headings?.map(({ level, title }) => [level, title])).toEqual([
      [2, "Chapter"],
      [3, "Deeper"],
      [1, "Unknown"]
    ])
  })

  it("that the paragraph had before a change is none", async () => {
    const change = '<w:pPrChange w:id="1"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>'
    const { headings } = await parse(paragraph(`<w:pPr>${change}</w:pPr>${run("Text")}`))
    expect(headings).toEqual([])
  })
})
