import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const path = join(root, "docs/threats.md")
const rows = readFileSync(path, "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, id] = /^\| (O\d+) /.exec(line) ?? []
    return id === undefined ? [] : [{ id, line }]
  })

describe("docs/threats.md", () => {
  it("has a row for each threat", () => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 13 }, (_, index) => `O${index + 1}`))
  })

  it.each(rows)("$id names files that there are, and tests that they have", ({ line }) => {
    const tests = [...line.matchAll(/`([\w/.-]+\.ts)` “([^”]+)”/g)]
    expect(tests.length).toBeGreaterThan(0)
    for (const [, file = "", name = ""] of tests) {
      expect(readFileSync(join(root, file), "utf8"), `${file}: ${name}`).toMatch(
        new RegExp(`it(\\.effect)?\\("${RegExp.escape(name)}"`)
      )
    }
    const places = [...line.matchAll(/\]\(([^)]+)\)/g)].map(([, place = ""]) => place)
    expect(places.length).toBeGreaterThan(0)
    expect(places.filter((place) => !existsSync(join(dirname(path), place)))).toEqual([])
  })
})
