import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { showSource } from "../../src/chat/sources/showSource.ts"

const text = `Fees

The Client pays a monthly fee of EUR 6,500 plus VAT, which is invoiced on the first work-
ing day of each month. Invoices are due within thirty (30) days of receipt, cf. Sec. 4.

Term

This Agreement runs for an initial term of two years. It renews for one year.`

const source = {
  number: 2,
  text,
  start: 1_000,
  headings: [
    { level: 1, title: "Contract", start: 0 },
    { level: 2, title: "Fees", start: 1_000 },
    { level: 2, title: "Term", start: 1_000 + text.indexOf("Term") }
  ]
}

const marked = (reply: string) => {
  const shown = showSource(source, reply)
  return shown.marks.map(({ end, start }) => shown.text.slice(start, end))
}

describe("a source beside its reply", () => {
  it("has the quoted words marked, though a line's end parts them in the document", () => {
    const reply =
      "It says: “which is invoiced on the first working day of each month. Invoices are due” [2], and more [1]."
    expect(marked(reply)).toEqual(["which is invoiced on the first working day of each month. Invoices are due"])
  })

  it.each([
    ["The initial term is two years. [2]", "This Agreement runs for an initial term of two years."],
    ["Renewal is for one year at a time, it **renews** yearly [1, 2].", "It renews for one year."],
    ["You pay EUR 6,500 a month.[1][2] Nothing else.", "The Client pays a monthly fee"],
    [
      "- Due within 30 days of the invoices' receipt [2]\n- Something else [1]",
      "Invoices are due within thirty (30) days"
    ],
    ["„monthly fee of EUR 6,500“ [2]", "monthly fee of EUR 6,500"],
    ['He wrote "an initial term\nof two YEARS" [2]', "an initial term of two years"]
  ])("has the sentence marked that a statement rests on: %s", (reply, beginning) => {
    expect(marked(reply).map((mark) => mark.slice(0, beginning.length))).toEqual([beginning])
  })

  it.each(["It rains in Spain [2].", "The initial term is two years [1].", "", "[2]", "Yes [2].", "The [2] and [2]"])(
    "has nothing marked that the reply does not rest on: %j",
    (reply) => {
      expect(marked(reply)).toEqual([])
    }
  )

  it("tells the headings above what is marked, else above its beginning", () => {
    expect(showSource(source, "It renews for one year. [2]").path).toEqual(["Contract", "Term"])
    expect(showSource(source, "").path).toEqual(["Contract", "Fees"])
    expect(showSource({ number: 1, text: "x", start: 0 }, "").path).toEqual([])
  })

  it("has marks in order, apart from each other, within the shown text, for any reply", () => {
    const piece = fc.constantFrom(
      ...'[2],[1],[1, 2],“,”,",„,monthly fee of EUR 6,500,initial term of two years,renews,two, ,.,\n\n,\n,…,[,],[99999]'.split(
        ","
      )
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
        const shown = showSource(source, pieces.join(" "))
        let end = -1
        for (const mark of shown.marks) {
          expect(mark.start).toBeGreaterThan(end)
          expect(mark.end).toBeGreaterThan(mark.start)
          end = mark.end
        }
        expect(end).toBeLessThanOrEqual(shown.text.length)
      }),
      { numRuns: 500 }
    )
  })
})
