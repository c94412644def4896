/**
 * Writes `docs.jsonl` of a collection from documentation in Markdown or HTML files: one document for each section, from
 * a heading to the next one. `npm run bench:collection -- <out> <file>...`. The id of a document is the file's name and
 * the number of the section in it. Code examples and comments are left out, and so are sections of a few words, and
 * sections of a Japanese file (`.ja.`) that are not translated.
 */
import { readFile, writeFile } from "node:fs/promises"
import { basename, extname, join } from "node:path"
import { openDocumentParser } from "@parley/adapters-documents"
import { Effect } from "effect"

const EXAMPLES = /^```[^]*?^```$|<!--[^]*?-->/gmu
/** The least UTF-16 units of a section; shorter sections answer no question. */
const LEAST = 120

const JAPANESE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu
const LETTERS = /\p{L}/gu
/** The least share of Japanese letters in a translated section, in which names and commands are not translated. */
const TRANSLATED = 0.3

const isTranslated = (text: string): boolean =>
  (text.match(JAPANESE)?.length ?? 0) >= TRANSLATED * (text.match(LETTERS)?.length ?? 0)

const [out, ...files] = process.argv.slice(2)
if (out === undefined || files.length === 0) {
  console.error("Usage: npm run bench:collection -- <out> <file>...")
  process.exit(2)
}
const { close, parser } = await openDocumentParser()
const lines: Array<string> = []
for (const file of files) {
  const type = extname(file) === ".md" ? "md" : "html"
  const whole = await readFile(file, "utf8")
  const bytes = new TextEncoder().encode(type === "md" ? whole.replace(EXAMPLES, "") : whole)
  const { headings = [], text } = await Effect.runPromise(parser.parse({ type, bytes, userId: "bench" }))
  for (const [place, { start, title }] of headings.entries()) {
    const section = text.slice(start, headings[place + 1]?.start)
    const body = section
      .slice(section.indexOf("\n") + 1)
      .replaceAll(/[ \t]*\n\s*\n\s*/g, "\n\n")
      .trim()
    if (!section.includes("\n") || body.length < LEAST) continue
    if (file.includes(".ja.") && !isTranslated(body)) continue
    lines.push(JSON.stringify({ id: `${basename(file, extname(file))}-${place}`, title, text: body }))
  }
}
await close()
await writeFile(join(out, "docs.jsonl"), `${lines.join("\n")}\n`)
console.log(`${lines.length} sections`)
