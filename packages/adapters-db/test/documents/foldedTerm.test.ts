import { foldedTerm } from "@parley/core/adapter"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/index.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

const between = (first: number, last: number) =>
  fc.integer({ min: first, max: last }).map((code) => String.fromCodePoint(code))

/** Letters of Latin, Greek and Cyrillic with marks and without, marks apart from letters, and other characters. */
const unit = fc.oneof(
  fc.constantFrom(..."abeiouslz09'~"),
  fc.constantFrom(..."ßæœøđłıÆŒØĐŁİẞ"),
  between(0xc0, 0x24f),
  between(0x1e00, 0x1eff),
  between(0x370, 0x3ff),
  between(0x1f00, 0x1fff),
  between(0x400, 0x52f),
  between(0x300, 0x36f),
  fc.constantFrom("\u0483", "\u1ab0", "\u20d7", "\u3099", "\u05b0", "が", "각", "日", "한", "Å", "ﬁ"),
  fc.constantFrom("👍", "👩‍🔬", "👍🏽", "🇵🇱", "\u200d", "\ufe0f")
)
const terms = fc.array(fc.string({ unit, maxLength: 8 }), { minLength: 50, maxLength: 100 })

for (const { name, layer } of databases) {
  describe(`Terms without marks on ${name}`, () => {
    const database = builtOnce(layer)

    it("are for any stem those of the core", () =>
      fc.assert(
        fc.asyncProperty(terms, async (stems) => {
          const folded = Database.use(({ schema, statement }) =>
            statement<{ term: string }>(
              `SELECT ${schema}.folded_term(stem) AS term FROM unnest($1::text[]) WITH ORDINALITY AS given (stem, place)
               ORDER BY place`,
              [stems]
            )
          )
          const rows = await Effect.runPromise(Effect.provide(folded, database))
          expect(rows.map(({ term }, place) => [stems[place], term])).toEqual(
            stems.map((stem) => [stem, foldedTerm(stem)])
          )
        }),
        {
          numRuns: 30,
          examples: [[["café", "złoty", "straße", "æœøđłı", "ё", "й", "ΰ", "\u0301", "\u0301\u0302", ""]]]
        }
      ))
  })
}
