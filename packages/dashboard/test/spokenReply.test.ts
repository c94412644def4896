import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SpokenReply } from "../app/spoken/SpokenReply.ts"

/** The announcements for a reply that comes in pieces of these lengths. */
const spoken = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const reply = new SpokenReply()
  const said: Array<string> = []
  let from = 0
  for (const length of lengths) {
    from = Math.min(text.length, from + length)
    said.push(...reply.update(text.slice(0, from), false))
  }
  said.push(...reply.update(text, true))
  return said
}

const wordsOf = (said: ReadonlyArray<string>) => said.join(" ").split(/\s+/)

const REPLY = [
  "## The **rent**",
  "It is *1,450* a month &amp; `due` on the [first](https://example.org/a_b). It rises by 3 % a year! Who pays? You do.",
  "- the ~~roof~~\n- the walls, which were painted in the year before the lease began. They are grey.\n  1. inside\n  2. outside",
  "| month | **rent** |\n|---|--:|\n| May | `1,450` |\n| June | |",
  "> A quote of the lease.\n> It goes on.",
  "```ts\nconst rent = 1_450 // a month\n```",
  "![A crane](https://example.org/crane.png) and $x^2$. The end"
].join("\n\n")

describe("a reply that is spoken", () => {
  it("is plain words: no marks, no addresses, each cell of a table after the name of its column", () => {
    expect(spoken(REPLY, [])).toEqual([
      "The rent",
      "It is 1,450 a month & due on the first. It rises by 3 % a year! Who pays? You do.",
      "the roof\nthe walls, which were painted in the year before the lease began. They are grey.\ninside\noutside",
      "month: May, rent: 1,450.\nmonth: June.",
      "A quote of the lease.\nIt goes on.",
      "const rent = 1_450 // a month",
      "A crane and x^2. The end"
    ])
  })

  it("says each word once and in order, for pieces of any size", () => {
    const whole = wordsOf(spoken(REPLY, []))
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 })
    fc.assert(
      fc.property(lengths, (pieces) => {
        expect(wordsOf(spoken(REPLY, pieces))).toEqual(whole)
      })
    )
  })

  it("says nothing again when it is read from its beginning once more", () => {
    const reply = new SpokenReply()
    const half = REPLY.slice(0, 300)
    const before = reply.update(half, false)
    expect(before.length).toBeGreaterThan(1)
    const again = ["", REPLY.slice(0, 20), REPLY.slice(0, 150), half].flatMap((text) => reply.update(text, false))
    expect(again).toEqual([])
    expect(wordsOf([...before, ...reply.update(REPLY, true)])).toEqual(wordsOf(spoken(REPLY, [])))
  })
})
