import { describe, expect, it } from "vitest"
import { hasTest, looseNames, missingFiles, namedTests, problemOf, textOf } from "./support/namedTests.ts"

const documents = ["SECURITY.md", "docs/threats.md", "docs/security/asvs.md"]

/** The rooms of docs/threats.md by the letter of their rows, and the number of rows in each. */
const rooms: Readonly<Record<string, number>> = {
  I: 12,
  E: 8,
  K: 6,
  A: 4,
  H: 14,
  V: 11,
  M: 12,
  D: 13,
  P: 8,
  O: 13,
  B: 8,
  L: 6,
  C: 4,
  R: 7
}

const rowsOf = (text: string) =>
  text.split("\n").flatMap((line) => {
    const [, id] = /^\| ([A-Z]\d+) +\|/.exec(line) ?? []
    return id === undefined ? [] : [{ id, line }]
  })

describe("the named tests", () => {
  it.each(documents)("of %s are in the files that it names, and its links lead to files", (path) => {
    const text = textOf(path)
    expect(namedTests(text).length).toBeGreaterThan(10)
    expect(namedTests(text).flatMap((test) => problemOf(test) ?? [])).toEqual([])
    expect(looseNames(text)).toEqual([])
    expect(missingFiles(path, text)).toEqual([])
  })

  it.each([
    ["it", 'it("adds", () => {})'],
    ["it.effect", 'it.effect("adds", () => {})'],
    ["it.live with a line break", 'it.live(\n    "adds",'],
    ["test", "test('adds', () => {})"],
    ["it.effect.prop", "it.effect.prop(`adds`, [], () => {})"],
    ["it.each", 'it.each([\n  ["(", 1],\n])("adds", () => {})'],
    ["it.effect.each", 'it.effect.each(rows)(\n    "adds",'],
    ["it.skipIf", 'it.skipIf(process.platform !== "linux")("adds", () => {})']
  ])("are found where %s declares them", (_, source) => {
    expect(hasTest(source, "adds")).toBe(true)
  })

  it.each([
    ["a group", 'describe("adds", () => {})'],
    ["a comment", '// it "adds"'],
    ["a part of a longer name", 'it("adds more", () => {})'],
    ["another call after a test", 'it("other", () => {\n  expect(log).toBe("adds")\n})'],
    ["a table of another test", 'it.each(["adds"])("other", () => {})']
  ])("are not found in %s", (_, source) => {
    expect(hasTest(source, "adds")).toBe(false)
  })
})

describe("docs/threats.md", () => {
  const rows = rowsOf(textOf("docs/threats.md"))

  it("has a row for each threat, once, in the order of its rooms", () => {
    const expected = Object.entries(rooms).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
    )
    expect(rows.map(({ id }) => id)).toEqual(expected)
  })

  it.each(rows)("$id names tests, and links to the source of its defence", ({ line }) => {
    expect(namedTests(line).length).toBeGreaterThan(0)
    expect(/\]\([^)]+\)/.test(line)).toBe(true)
  })
})
