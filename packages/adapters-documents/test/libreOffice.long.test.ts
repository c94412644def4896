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
import { writeDocx } from "./fixtures/writeDocx.ts"
import { writePptx } from "./fixtures/writePptx.ts"
import { writeXlsx } from "./fixtures/writeXlsx.ts"

const SOFFICE = "/usr/bin/soffice"
const isHere = existsSync(SOFFICE)
/** A pipeline that installs LibreOffice demands it. */
const isDemanded = process.env["PARLEY_TEST_LIBREOFFICE"] !== undefined
if (!isHere) {
  console.warn(`LibreOffice is not tested: ${SOFFICE} is missing. Install libreoffice-writer, -calc and -impress.`)
}

const folder = mkdtempSync(join(tmpdir(), "parley-soffice-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A file of an older format, made by LibreOffice from another one. */
const saved = (name: string, bytes: Uint8Array | string, type: string): Uint8Array => {
  writeFileSync(join(folder, name), bytes)
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, "profile")).href}`
  execFileSync(SOFFICE, ["--headless", profile, "--convert-to", type, "--outdir", folder, join(folder, name)])
  return new Uint8Array(readFileSync(join(folder, `${name.slice(0, name.lastIndexOf("."))}.${type}`)))
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
    const table = [
      ["Part", "Wear"],
      ["Blade", "0.4 mm"]
    ]
    const docx = writeDocx([{ heading: "Storks", level: 2 }, { paragraph: "They return in March." }, { table }])
    const { headings, text } = await Effect.runPromise(parsing("doc", saved("words.docx", docx, "doc")))
    expect(text).toBe("Storks\n\nThey return in March.\n\nPart\tWear\nPart: Blade\tWear: 0.4 mm")
    expect(headings).toEqual([{ level: 2, title: "Storks", start: 0 }])
  })

  it("converts an xls with its sheets", async () => {
    const xlsx = writeXlsx([
      {
        name: "Staff",
        rows: [
          ["City", "People"],
          ["Rome", { number: 3 }],
          ["Bonn", { number: 4 }]
        ]
      }
    ])
    const { text } = await Effect.runPromise(parsing("xls", saved("sheet.xlsx", xlsx, "xls")))
    expect(text).toBe("Staff\n\nCity\tPeople\nCity: Rome\tPeople: 3\nCity: Bonn\tPeople: 4")
  })

  it("converts a ppt with its slides", async () => {
    const pptx = writePptx([
      { title: "Plan", body: ["First"] },
      { title: "End", body: ["Last"] }
    ])
    const { pageStarts, text } = await Effect.runPromise(parsing("ppt", saved("slides.pptx", pptx, "ppt")))
    expect(pageStarts).toHaveLength(2)
    expect(text).toMatch(/First[^]*Last/)
  })

  it("does not read another file that a workbook refers to", async () => {
    const secret = join(folder, "secret.csv")
    writeFileSync(secret, "harmless\n")
    const cell = `='${pathToFileURL(secret).href}'#$secret.A1`
    const office = "urn:oasis:names:tc:opendocument:xmlns"
    const fods = `<office:document xmlns:office="${office}:office:1.0" xmlns:table="${office}:table:1.0" xmlns:text="${office}:text:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell table:formula="of:${cell}"/><table:table-cell office:value-type="string"><text:p>Own words</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>`
    const xls = saved("refers.fods", fods, "xls")
    writeFileSync(secret, "TOPSECRET\n")
    const { text } = await Effect.runPromise(parsing("xls", xls))
    expect(text).toContain("Own words")
    expect(text).not.toContain("TOPSECRET")
  })

  it("finds damage where the file breaks off or holds noise, and reads the next one", async () => {
    const doc = saved("whole.docx", writeDocx([{ paragraph: "Whole." }]), "doc")
    for (const bytes of [doc.slice(0, 1_000), new Uint8Array(5_000).map((_, at) => (at * 7_919) % 251)]) {
      const failure = await Effect.runPromise(Effect.flip(parsing("doc", bytes)))
      expect(failure.failure).toMatch(/damaged|no_text/)
    }
    expect((await Effect.runPromise(parsing("doc", doc))).text).toBe("Whole.")
  })
})
