import { describe, expect, it } from "vitest"
import { boundedParser, MAX_OPEN_ELEMENTS } from "../src/parsing/boundedParser.ts"
import { htmlText } from "../src/parsing/html/htmlText.ts"

const NESTED = 20_000

describe("Elements within elements", () => {
  it.each(["div", "form", "b", "svg", "x:y"])("are not all kept open, however many: %s", (name) => {
    let opened = 0
    let closedAtTheEnd = 0
    const parser = boundedParser(
      { onopentag: () => (opened += 1), onclosetag: () => (closedAtTheEnd += 1) },
      { xmlMode: true }
    )
    parser.end(`<${name}>`.repeat(NESTED))
    expect(opened).toBe(NESTED)
    expect(closedAtTheEnd).toBeLessThanOrEqual(MAX_OPEN_ELEMENTS + 1)
  })

  it("are read, with any content within the innermost and after them", () => {
    for (const closed of ["", "</div>".repeat(NESTED)]) {
      const text = htmlText(`<p>before</p>${"<div>".repeat(NESTED)}within${closed}<p>after</p>`)
      expect(text.split(/\s+/u)).toEqual(["before", "within", "after"])
    }
  })

  it("close where they are closed, up to the bound", () => {
    const names: Array<string> = []
    const parser = boundedParser({ onclosetag: (name) => names.push(name) }, { xmlMode: true })
    const depth = MAX_OPEN_ELEMENTS
    const all = Array.from({ length: depth }, (_, number) => `e${number}`)
    parser.end(
      `${all.map((name) => `<${name}>`).join("")}${all
        .toReversed()
        .map((name) => `</${name}>`)
        .join("")}`
    )
    expect(names).toEqual(all.toReversed())
  })
})
