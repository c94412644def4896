/**
 * Compares the texts that Parley reads from real PDFs with those of poppler's `pdftotext`: `npm run bench:pdf <folder...>`.
 * `-- --worst 20` prints more of the worst files, and `-- --json <file>` writes the figures of each.
 */
import { execFile } from "node:child_process"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { openDocumentParser } from "@parley/adapters-documents"
import type { UserId } from "@parley/core"
import { Effect } from "effect"
import { compared } from "./pdf/comparison.ts"
import { type ReadPdf, summaryOf, worstOf } from "./pdf/summary.ts"

const { positionals: folders, values: flags } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: "string", default: "10" }, json: { type: "string" } }
})

const run = promisify(execFile)
const MAX_TEXT = 512 * 1024 * 1024

const pdftotext = async (file: string, ...options: ReadonlyArray<string>): Promise<string> =>
  (await run("pdftotext", [...options, "-enc", "UTF-8", file, "-"], { maxBuffer: MAX_TEXT })).stdout

const pdfsIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => name.endsWith(".pdf")).map((name) => join(folder, name))
  const isFile = await Promise.all(files.map(async (file) => (await stat(file).catch(() => undefined))?.isFile()))
  return files.filter((_, place) => isFile[place]).toSorted()
}

const { close, parser } = await openDocumentParser()

const read = async (file: string): Promise<ReadPdf> => {
  const bytes = new Uint8Array(await readFile(file))
  const began = performance.now()
  const outcome = await Effect.runPromise(
    Effect.result(parser.parse({ type: "pdf", bytes, userId: "bench" as UserId }))
  )
  const seconds = (performance.now() - began) / 1000
  const [reference, laidOut] = [await pdftotext(file), await pdftotext(file, "-layout")]
  if (outcome._tag === "Failure") {
    return { file, seconds, headings: 0, missing: outcome.failure.message, ...compared("", reference, laidOut) }
  }
  const { headings = [], notice, text } = outcome.success
  const missing = notice === undefined ? {} : { missing: notice }
  return { file, seconds, headings: headings.length, ...missing, ...compared(text, reference, laidOut) }
}

const results: Array<ReadPdf> = []
try {
  for (const file of (await Promise.all(folders.map(pdfsIn))).flat()) results.push(await read(file))
} finally {
  await close()
}
if (flags.json !== undefined) await writeFile(flags.json, JSON.stringify(results, undefined, 1))
const { isMet, lines } = summaryOf(results)
console.log([...lines, ...worstOf(results, Number(flags.worst))].join("\n"))
process.exitCode = isMet ? 0 : 1
