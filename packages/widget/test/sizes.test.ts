import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"

const folder = fileURLToPath(new URL("../dist-app/", import.meta.url))

const zippedKilobytes = (files: ReadonlyArray<string>): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(folder + file), { level: 9 }).length, 0) / 1_000

it("every page that embeds a bot loads at most 3 KB of script, zipped", () => {
  const kilobytes = zippedKilobytes(["widget.js"])
  process.stdout.write(`loader: ${kilobytes.toFixed(2)} KB\n`)
  expect(kilobytes).toBeLessThanOrEqual(3)
})

it("the chat with everything it needs is at most 25 KB, zipped", () => {
  const kilobytes = zippedKilobytes(["index.html", ...readdirSync(`${folder}assets`).map((name) => `assets/${name}`)])
  process.stdout.write(`frame: ${kilobytes.toFixed(2)} KB\n`)
  expect(kilobytes).toBeLessThanOrEqual(25)
})
