import { expect, test } from "vitest"
import { keptMessages, withoutBlanks } from "../../src/chat/keptMessages.ts"

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
