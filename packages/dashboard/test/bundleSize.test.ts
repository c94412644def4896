import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"

const folder = fileURLToPath(new URL("../dist-app/", import.meta.url))

interface Chunk {
  readonly file: string
  readonly imports?: ReadonlyArray<string>
}

const manifest = JSON.parse(readFileSync(`${folder}manifest.json`, "utf8")) as Readonly<Record<string, Chunk>>

/** A chunk and all that it cannot run without. */
const withImports = (key: string, found = new Set<string>()): ReadonlySet<string> => {
  const chunk = manifest[key]
  if (chunk === undefined) throw new Error(`The build has no chunk of ${key}.`)
  if (!found.has(chunk.file)) {
    found.add(chunk.file)
    for (const imported of chunk.imports ?? []) withImports(imported, found)
  }
  return found
}

const zippedKilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(folder + file), { level: 9 }).length, 0) / 1_000

it("a person who opens a new chat loads at most 170 KB of script, zipped", () => {
  const kilobytes = zippedKilobytes(new Set([...withImports("index.html"), "theme.js"]))
  process.stdout.write(`first load: ${kilobytes.toFixed(1)} KB\n`)
  expect(kilobytes).toBeLessThanOrEqual(170)
})

it("a person never loads the page of all components, which only the server of development has", () => {
  const names = readdirSync(folder, { recursive: true }).map(String)
  const texts = names
    .filter((name) => /\.(?:js|css|html|json)$/.test(name))
    .map((name) => [name, readFileSync(folder + name, "utf8")])
  expect(texts.length).toBeGreaterThan(50)
  for (const [name, text] of texts)
    expect(text, name).not.toMatch(/gallery|A part of the page fails|Messages of a chat/)
  const gallery = fileURLToPath(new URL("../gallery/", import.meta.url))
  const shown = readdirSync(gallery)
    .map((name) => readFileSync(gallery + name, "utf8"))
    .join("")
  expect(shown).toContain("A part of the page fails")
  expect(shown).toContain("Messages of a chat")
})
