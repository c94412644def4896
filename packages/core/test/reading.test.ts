import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

/** The modules that a file loads at run time: its imports and re-exports except those of types. */
const loadedBy = (file: URL): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )(?:[^"';]*?from )?"([^"]+)"/gmu)].map(
    ([, specifier]) => specifier!
  )

it("what a page imports to show sources loads nothing but a few files of ours", () => {
  const seen = new Set<string>()
  const visit = (file: URL): void => {
    if (seen.has(file.href)) return
    seen.add(file.href)
    for (const specifier of loadedBy(file)) {
      expect(specifier).toMatch(/^\.\.?\//)
      visit(new URL(specifier, file))
    }
  }
  visit(new URL("../src/reading.ts", import.meta.url))
  expect([...seen].map((href) => href.replace(/^.*\/src\//, "")).toSorted()).toEqual([
    "branding/brandColours.ts",
    "branding/colours.ts",
    "chat/sources/showSource.ts",
    "documents/reading/Heading.ts",
    "documents/reading/readableText.ts",
    "documents/searching/functionWords.ts",
    "reading.ts"
  ])
})
