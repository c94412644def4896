import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { LANGUAGES } from "../app/frame/languages/languages.ts"

const folder = fileURLToPath(new URL("../dist-app/", import.meta.url))

const zippedKilobytes = (files: ReadonlyArray<string>): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(folder + file), { level: 9 }).length, 0) / 1_000

it("every page that embeds a bot loads at most 3 KB of script, zipped", () => {
  const kilobytes = zippedKilobytes(["widget.js"])
  process.stdout.write(`loader: ${kilobytes.toFixed(2)} KB\n`)
  expect(kilobytes).toBeLessThanOrEqual(3)
})

const assets = readdirSync(`${folder}assets`).map((name) => `assets/${name}`)
const languages = assets.filter((name) => LANGUAGES.some((language) => name.startsWith(`assets/${language}-`)))

it("the chat with everything it needs in one language is at most 25 KB, zipped", () => {
  const others = assets.filter((name) => !languages.includes(name))
  const largest = Math.max(...languages.map((name) => zippedKilobytes([name])))
  const kilobytes = zippedKilobytes(["index.html", ...others]) + largest
  process.stdout.write(`frame: ${kilobytes.toFixed(2)} KB\n`)
  expect(kilobytes).toBeLessThanOrEqual(25)
  expect(languages.length).toBe(LANGUAGES.length)
})
