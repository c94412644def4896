import fc from "fast-check"
import { expect, it } from "vitest"
import { hashOf, makeWordTable } from "../../src/documents/wordTable.ts"

it("finds each word of a table where it stands in a text, and no other", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "é", "漢", "𝒜"), maxLength: 5 })
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 60 }), word, word, (words, before, after) => {
      const table = makeWordTable()
      const added = words.filter((_, place) => place % 2 === 0)
      for (const [place, each] of added.entries()) table.add(each, place - 3)
      expect(table.size()).toBe(added.length)
      for (const each of words) {
        const end = before.length + each.length
        const told = table.find(before + each + after, before.length, end, hashOf(each))
        expect(told).toBe(added.includes(each) ? added.indexOf(each) - 3 : undefined)
      }
    })
  )
})

it("finds all words of a table that has grown, and none for a hash of another", () => {
  const table = makeWordTable()
  const words = Array.from({ length: 5_000 }, (_, place) => `w${place}`)
  for (const [place, word] of words.entries()) table.add(word, place)
  expect(words.map((word) => table.find(word, 0, word.length, hashOf(word)))).toStrictEqual([...words.keys()])
  expect(table.find("w1", 0, 2, hashOf("w2"))).toBeUndefined()
})
