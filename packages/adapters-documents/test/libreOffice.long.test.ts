import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { DocumentType } from "@parley/core"
import { DocumentParser } from "@parley/core/adapter"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { libreOfficeVersion, WorkerDocumentParser, type WorkerParserOptions } from "../src/index.ts"

const SOFFICE = "/usr/bin/soffice"
const isHere = existsSync(SOFFICE)
/** A pipeline that installs LibreOffice demands it. */
const isDemanded = process.env["PARLEY_TEST_LIBREOFFICE"] !== undefined
if (!isHere) {
  process.stderr.write(
    `LibreOffice is not tested: ${SOFFICE} is missing. Install libreoffice-writer, -calc and -impress.\n`
  )
}

const folder = mkdtempSync(join(tmpdir(), "parley-soffice-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NAMESPACES = ["office", "text", "table", "drawing", "presentation", "of"]
  .map(
    (name) =>
      `xmlns:${name === "drawing" ? "draw" : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1${name === "of" ? ".2" : ".0"}"`
  )
  .join(" ")

/** A file of an older format, made by LibreOffice from the body of an OpenDocument file. */
const saved = (name: string, kind: "text" | "spreadsheet" | "presentation", body: string, type: string): Uint8Array => {
  const media = `application/vnd.oasis.opendocument.${kind}`
  writeFileSync(
    join(folder, name),
    `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMESPACES} office:version="1.3" office:mimetype="${media}"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`
  )
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, "profile")).href}`
  execFileSync(SOFFICE, ["--headless", profile, "--convert-to", type, "--outdir", folder, join(folder, name)], {
    stdio: "ignore"
  })
  return new Uint8Array(readFileSync(join(folder, `${name.slice(0, name.lastIndexOf("."))}.${type}`)))
}

const tableOf = (name: string, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const cell = (text: string) =>
    `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
  const lines = rows.map((row) => `<table:table-row>${row.map(cell).join("")}</table:table-row>`)
  const columns = `<table:table-column table:number-columns-repeated="${rows[0]?.length}"/>`
  return `<table:table table:name="${name}">${columns}${lines.join("")}</table:table>`
}

const parsing = (type: DocumentType, bytes: Uint8Array, options: WorkerParserOptions = {}) =>
  DocumentParser.use((parser) => parser.parse({ type, bytes, userId: "ann" })).pipe(
    Effect.provide(WorkerDocumentParser.layer({ libreOffice: SOFFICE, ...options }))
  )

describe.runIf(isDemanded || isHere)("LibreOffice", () => {
  it("is here, and says its version", async () => {
    expect(await libreOfficeVersion(SOFFICE)).toMatch(/^LibreOffice \d/)
  })

  it("converts a doc with its headings and tables", async () => {
    const body =
      '<text:h text:outline-level="2">Storks</text:h><text:p>They return in March.</text:p>' +
      tableOf("", [
        ["Part", "Wear"],
        ["Blade", "0.4 mm"]
      ])
    const { headings, text } = await Effect.runPromise(parsing("doc", saved("words.fodt", "text", body, "doc")))
    expect(text).toBe("Storks\n\nThey return in March.\n\nPart\tWear\nPart: Blade\tWear: 0.4 mm")
    expect(headings).toEqual([{ level: 2, title: "Storks", start: 0 }])
  })

  it("converts an xls with its sheets", async () => {
    const body = tableOf("Staff", [
      ["City", "People"],
      ["Rome", "three"],
      ["Bonn", "four"]
    ])
    const { text } = await Effect.runPromise(parsing("xls", saved("sheet.fods", "spreadsheet", body, "xls")))
    expect(text).toBe("Staff\n\nCity\tPeople\nCity: Rome\tPeople: three\nCity: Bonn\tPeople: four")
  })

  it("converts a ppt with its slides", async () => {
    const slide = (text: string) =>
      `<draw:page draw:name="${text}"><draw:frame draw:layer="layout"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`
    const body = slide("First words") + slide("Last words")
    const { pageStarts, text } = await Effect.runPromise(
      parsing("ppt", saved("slides.fodp", "presentation", body, "ppt"))
    )
    expect(text).toMatch(/^First words\s+Last words$/)
    expect(pageStarts).toHaveLength(2)
  })

  it("does not read another file that a workbook refers to", async () => {
    const secret = join(folder, "secret.csv")
    writeFileSync(secret, "harmless\n")
    const link = `<table:table-row><table:table-cell table:formula="of:=&apos;${pathToFileURL(secret).href}&apos;#$secret.A1"/></table:table-row>`
    const body = tableOf("S", [["Own words"]]).replace("</table:table>", `${link}</table:table>`)
    const xls = saved("refers.fods", "spreadsheet", body, "xls")
    expect(Buffer.from(xls).includes("secret.csv")).toBe(true)
    writeFileSync(secret, "TOPSECRET\n")
    const { text } = await Effect.runPromise(parsing("xls", xls))
    expect(text).toContain("Own words")
    expect(text).not.toContain("TOPSECRET")
  })

  it("finds damage where the file breaks off or holds noise, and reads the next one", async () => {
    const doc = saved("whole.fodt", "text", "<text:p>Whole.</text:p>", "doc")
    for (const bytes of [doc.slice(0, 1_000), new Uint8Array(5_000).map((_, at) => (at * 7_919) % 251)]) {
      const failure = await Effect.runPromise(Effect.flip(parsing("doc", bytes)))
      expect(failure.failure).toMatch(/damaged|no_text/)
    }
    expect((await Effect.runPromise(parsing("doc", doc))).text).toBe("Whole.")
  })
})
