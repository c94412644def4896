import fc from "fast-check"
import { expect, it } from "vitest"
import { makeTextWriter } from "../../src/documents/textWriter.ts"

it("gives what was written as one text, whatever its letters and however long, each text apart from that before", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.string({ minLength: 3_000, maxLength: 9_000 }),
    fc.nat(),
    fc.constantFrom(0, 9, 10, 99, 100, 2 ** 31 - 1)
  )
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 4 }), (texts) => {
      const writer = makeTextWriter()
      for (const pieces of texts) {
        expect(writer.isEmpty()).toBe(true)
        for (const each of pieces) {
          if (typeof each === "number") writer.addNumber(each)
          else writer.addText(each)
          writer.addCharacter(0x2c)
        }
        expect(writer.take()).toBe(pieces.map((each) => `${each},`).join(""))
      }
    }),
    { numRuns: 50 }
  )
})
