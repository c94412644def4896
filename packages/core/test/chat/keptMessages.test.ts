import * as fc from "fast-check"
import { expect, test } from "vitest"
import { keptMessages, withoutBlanks } from "../../src/chat/prompt/prompt.ts"

test("blank megabytes are cut to a thousand characters, and what is said stays", () => {
  const blank = " \n".repeat(500_000)
  const text = withoutBlanks(`${blank}Hello${blank}there${blank}`)
  expect(text.length).toBe(3_010)
  expect(text.replaceAll(/\s+/g, " ").trim()).toBe("Hello there")
  const spaced = `a${" ".repeat(1_000)}b`.repeat(10)
  expect(withoutBlanks(spaced)).toBe(spaced)
})

test("of a message that the model was not given, the beginning is kept", () => {
  const [old, asked] = [
    { role: "user" as const, content: "x".repeat(5_000) },
    { role: "user" as const, content: "y".repeat(5_000) }
  ]
  expect(keptMessages([old, asked], [asked])).toEqual([{ role: "user", content: `${"x".repeat(199)}…` }, asked])
})

test("runs of white space are cut wherever they stand, and nothing else is", () => {
  const word = fc.integer({ min: 1, max: 1_200 }).map((length) => "x".repeat(length))
  const blank = fc
    .integer({ min: 990, max: 1_010 })
    .chain((most) => fc.constantFrom(" ", "\n", "\u00a0", "\u3000").map((each) => each.repeat(most)))
  fc.assert(
    fc.property(fc.array(fc.oneof(word, blank, fc.constant(" ".repeat(3_000))), { maxLength: 12 }), (parts) => {
      const text = parts.join("")
      expect(withoutBlanks(text)).toBe(text.replaceAll(/[ \n\u00a0\u3000]{1001,}/g, (run) => run.slice(0, 1_000)))
    })
  )
})

test("the shortest run that is too long is found at every place", () => {
  for (let before = 0; before <= 2_100; before++) {
    const text = `${"x".repeat(before)}${" ".repeat(1_001)}y`
    expect(withoutBlanks(text).length).toBe(text.length - 1)
  }
})
