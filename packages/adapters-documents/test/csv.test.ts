import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseCsv, readCsv } from "../src/parsing/text/parseCsv.ts"

const textOf = (csv: string) => parseCsv(new TextEncoder().encode(csv), DEFAULT_PARSER_LIMITS).text

describe("a table in a text", () => {
  it.each([",", ";", "\t", "|"])(
    "written with %j between its cells is read back as it was, whatever is in them",
    (delimiter) => {
      const cell = fc.oneof(
        fc.string({ unit: fc.constantFrom("a", " ", '"', "\n", ",", ";", "\t", "|", "é"), maxLength: 8 }),
        fc.constantFrom("plain", "12,5", "")
      )
      // Three columns, so that the delimiter shows.
      const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 3, maxLength: 12 })
      const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
      fc.assert(
        fc.property(table, (rows) => {
          const csv = rows.map((row) => row.map(quoted).join(delimiter)).join("\n")
          // The blank cells of a first column are no reason to lose a row.
          expect(readCsv(`sep=${delimiter}\n${csv}`)).toEqual(rows)
        })
      )
      expect(readCsv(`a${delimiter}b\n1${delimiter}"2 ""x"""\n`)).toEqual([
        ["a", "b"],
        ["1", '2 "x"']
      ])
    }
  )

  it("has the names of its columns in the first row of several cells, below titles", () => {
    expect(textOf("Prices,,\n1 May,,\npart,net,gross\nBlade,10,12\n")).toBe(
      "Prices\n1 May\npart\tnet\tgross\npart: Blade\tnet: 10\tgross: 12"
    )
  })

  it("has the name of its column before each value, and rows that can be found alone", () => {
    expect(textOf("name,city\r\nAnn,Paris\r\nBob,\r\n,Rome\r\n")).toBe(
      "name\tcity\nname: Ann\tcity: Paris\nname: Bob\ncity: Rome"
    )
  })

  it("has no names where its first row is one of values", () => {
    expect(textOf("1,2\n3,4")).toBe("1\t2\n3\t4")
    expect(textOf("one line alone")).toBe("one line alone")
  })

  it("keeps every value of ragged rows and of quotes that are never closed", () => {
    expect(textOf('a,b\n1\n1,2,3,4\n"x,y\nz,1\n')).toBe('a\tb\na: 1\na: 1\tb: 2\t3\t4\na: "x\tb: y\na: z\tb: 1')
    expect(textOf('a,b\n"x" y,1')).toBe("a\tb\na: x y\tb: 1")
  })

  it("is read whole, in time that grows with its length", () => {
    const began = process.threadCpuUsage()
    for (const piece of ['"a,', ",", '"', '""', "a;b,c\n", "\n"]) readCsv(piece.repeat(1_000_000 / piece.length))
    expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(20_000)
  })
})
