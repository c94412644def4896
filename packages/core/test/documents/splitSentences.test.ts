import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { splitSentences } from "../../src/documents/reading/readableText.ts"
import { processorTime } from "../processorTime.ts"

const sentences = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end))

describe("sentences", () => {
  it.each([
    ["We compared A vs. B in Fig. 3. It held.", 2],
    ["See Fig. 3, Tab. 2 and Sec. 4. The rest follows.", 2],
    ["Box No. 5 is full. No. 6 is empty. No. We are closed.", 4],
    ["Take a tool, e.g. a spade, i.e. something sharp. Dig.", 2],
    ["Dr. J. R. Okafor and Prof. E. Weiss met Ms. Jensen. They agreed.", 2],
    ["Vitamin C. The second one.", 2],
    ["Versichert sind z. B. Möbel, d. h. alles. Nicht versichert sind u. a. Boote.", 2],
    ["Am 3. März gilt Abs. 4 der AVB Nr. 12 ca. 2 Jahre. Danach nicht.", 2],
    ["Es waren 3. Danach keiner mehr.", 2],
    ["La pâte atteint 25 °C. Laissez-la reposer env. 2 h, cf. fig. 2.", 2],
    ["M. Lefèvre ou Mme Diallo, p. ex. le soir. Merci.", 2],
    ["Abre de 9.00 a 20.00 h. Cierra en dic. por obras.", 2],
    ["Version 2.1 needs 3.4.1 or v1.0.0-rc.2 at https://example.com/a.b?c=d. Done.", 2],
    ["It costs 1.500,50 or 3.14. Nobody pays.", 2],
    ["Alder & Finch Inc. is in Boston, Dachwerk Ltd. was not. Open 8 a.m. to 5 p.m. The end.", 3],
    ["“Why?” he asked. (Nobody knew.) “Because!” she said.", 3],
    ["Wait… what? Yes! No?! Never.", 4],
    ["送货需要三天。保修期为两年。好吗？好！", 4],
    ["1. Work begins. 2. Work ends.", 2],
    ["## 1. Safety\nOnly indoors. Never outdoors.", 3],
    ["3002\tShears No. 4. Large\t32.50\n| a. B | c. D |", 2],
    ["Harmand et al. (2019) said so. Others, etc. did not.", 2]
  ])("of %j are %i", (text, count) => {
    expect(sentences(text)).toHaveLength(count)
  })

  it("hold all that is not white space, in order, apart from each other, within a line", () => {
    const piece = fc.constantFrom(
      ..."Fig.,vs.,No.,5,z.,B.,The,the,a.m.,3.,März,.,!,?,…,。,“,”,),(,\n,\n\n, ,  ,\t,|,Ω,é,e.g.".split(",")
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: "grapheme" })), { maxLength: 40 }), (pieces) => {
        const text = pieces.join(" ")
        let end = 0
        for (const span of splitSentences(text)) {
          expect(text.slice(end, span.start).trim()).toBe("")
          const said = text.slice(span.start, span.end)
          expect(said).toBe(said.trim())
          expect(said).not.toBe("")
          expect(said).not.toContain("\n")
          end = span.end
        }
        expect(text.slice(end).trim()).toBe("")
      }),
      { numRuns: 500 }
    )
  })

  it("are found in time that grows with the text, with any marks", () => {
    const text = "a. ".repeat(100_000)
    const took = processorTime()
    expect(splitSentences(text).length).toBeGreaterThan(0)
    expect(took()).toBeLessThan(20_000)
  })
})
