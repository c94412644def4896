import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { dropMarks, headingMark, takeHeadings } from "../headingMarks.ts"
import { tableLines } from "../tableLines.ts"
import { Unreadable } from "../Unreadable.ts"
import { type Archive, archiveProblems, readArchive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"

const NOUN = "OpenDocument file"
const CONTENT = "content.xml"
/** The most repetitions of a row or cell with content. Empty ones are repeated up to the edge of the sheet. */
const MOST_REPEATED = 1_000
const MAX_INDENT = 8
/** Parts that are not read: they repeat on each page, or no reader sees them as text. */
const SKIPPED: ReadonlySet<string> = new Set(["tracked-changes", "forms", "annotation-end", "header", "footer"])

interface Table {
  readonly rows: Array<Array<string>>
  rowRepeated: number
  cellRepeated: number
  readonly cell: Array<string>
}

const timesOf = (value: string | undefined): number => Math.max(1, Math.min(MOST_REPEATED, Number(value ?? 1) || 1))

/**
 * Reads the text of the content of an OpenDocument file (OASIS ODF 1.3, part 3); a presentation has pages. The names of
 * sheets and the headings of a text are headings; table rows have the names of their columns.
 */
class ContentReader {
  readonly pages: Array<string> = []
  /** The finished blocks of the current page. */
  #blocks: Array<string> = []
  #line = ""
  #level = 0
  #isHeading = false
  #depth = 0
  #skipped = 0
  readonly #tables: Array<Table> = []
  hasPages = false

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (SKIPPED.has(name) || this.#skipped > 0) this.#skipped += 1
    else if (name === "h") {
      this.#isHeading = true
      this.#level = Number(attributes["outline-level"] ?? 1) || 1
    } else if (name === "s") this.#line += " ".repeat(timesOf(attributes["c"]))
    else if (name === "tab") this.#line += "\t"
    else if (name === "line-break") this.#line += "\n"
    else if (name === "list") this.#depth += 1
    else this.#openPart(name, attributes)
  }

  #openPart(name: string, attributes: Readonly<Record<string, string>>): void {
    const table = this.#tables.at(-1)
    if (name === "page") this.#beginPage()
    else if (name === "table") {
      const title = (attributes["name"] ?? "").trim()
      if (this.#tables.length === 0 && title !== "" && attributes["is-sheet"] === "yes") this.#addHeading(1, title)
      this.#tables.push({ rows: [], rowRepeated: 1, cellRepeated: 1, cell: [] })
    } else if (name === "table-row" && table !== undefined) {
      table.rows.push([])
      table.rowRepeated = timesOf(attributes["number-rows-repeated"])
    } else if ((name === "table-cell" || name === "covered-table-cell") && table !== undefined) {
      table.cellRepeated = timesOf(attributes["number-columns-repeated"])
    }
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1
    else if (name === "p" || name === "h") this.#endParagraph()
    else if (name === "list") this.#depth -= 1
    else this.#closePart(name)
  }

  #closePart(name: string): void {
    const table = this.#tables.at(-1)
    if (table === undefined) return
    const row = table.rows.at(-1)
    if (name === "table-cell" || name === "covered-table-cell") {
      const cell = dropMarks(table.cell.splice(0).join(" "))
      for (let time = 0; time < (cell === "" ? Math.min(table.cellRepeated, 64) : table.cellRepeated); time++)
        row?.push(cell)
    } else if (name === "table-row" && row !== undefined) {
      while (row.at(-1) === "") row.pop()
      const isEmpty = row.length === 0
      for (let time = 1; !isEmpty && time < table.rowRepeated; time++) table.rows.push([...row])
    } else if (name === "table") {
      this.#tables.pop()
      this.#addBlock([...tableLines(table.rows, "unknown")].join("\n"))
    }
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#line += text
  }

  /** Ends the last page. */
  end(): void {
    if (this.#blocks.length > 0 || !this.hasPages) this.pages.push(this.#blocks.join("\n\n"))
  }

  #beginPage(): void {
    if (this.hasPages) this.pages.push(this.#blocks.join("\n\n"))
    this.hasPages = true
    this.#blocks = []
  }

  #endParagraph(): void {
    const line = this.#line.trim()
    this.#line = ""
    const isHeading = this.#isHeading
    this.#isHeading = false
    if (line === "") return
    if (isHeading) this.#addHeading(this.#level, line)
    else if (this.#depth > 0) this.#addItem(`${"  ".repeat(Math.min(MAX_INDENT, this.#depth) - 1)}- ${line}`)
    else this.#addBlock(line)
  }

  #addHeading(level: number, title: string): void {
    this.#addBlock(`${headingMark(Math.max(1, level))}${title.replaceAll(/\s+/gu, " ")}`)
  }

  #addBlock(text: string): void {
    const cell = this.#tables.at(-1)?.cell
    if (text !== "") (cell ?? this.#blocks).push(text)
  }

  /** Adds a list item. The items of a list are the lines of one block. */
  #addItem(text: string): void {
    const last = this.#blocks.at(-1)
    if (
      this.#tables.length === 0 &&
      last !== undefined &&
      /^ *- [^\n]*$/u.test(last.slice(last.lastIndexOf("\n") + 1))
    ) {
      this.#blocks[this.#blocks.length - 1] = `${last}\n${text}`
    } else this.#addBlock(text)
  }
}

/** Refuses a file that is protected by a password. Its manifest says that its entries are encrypted. */
const refuseLocked = (archive: Archive): void => {
  readXml(archive.read("META-INF/manifest.xml"), {
    open: (name) => {
      if (name === "encryption-data") throw archiveProblems(NOUN).locked()
    }
  })
}

/** Reads a text, a presentation (a slide is a page) or a spreadsheet in the OpenDocument format. */
export const parseOpenDocument = (bytes: Uint8Array, limits: ParserLimits): ParsedDocument => {
  const archive = readArchive(bytes, limits, NOUN)
  refuseLocked(archive)
  const content = archive.read(CONTENT)
  if (content === undefined) throw archiveProblems(NOUN).damaged()
  const reader = new ContentReader()
  let isSheet = false
  readXml(content, {
    open: (name, attributes) => {
      isSheet ||= name === "spreadsheet"
      reader.open(name, name === "table" && isSheet ? { ...attributes, "is-sheet": "yes" } : attributes)
    },
    close: (name) => reader.close(name),
    text: (text) => reader.text(text)
  })
  reader.end()
  if (reader.pages.length > limits.maxPages) {
    const most = limits.maxPages.toLocaleString("en-US")
    throw new Unreadable("too_long", `The presentation has more than the ${most} slides that can be read. Split it.`)
  }
  const read = takeHeadings(reader.pages.map((page) => cleanText(page).trim()).join(PAGE_END))
  return reader.hasPages ? inPages(read) : { ...read, pageStarts: null }
}

/** The end of a page. No text contains this control character. */
const PAGE_END = "\u001c"

/** Returns the text with a line end between pages, and the offset at which each page starts. */
const inPages = ({ headings, text }: Pick<ParsedDocument, "text" | "headings">): ParsedDocument => {
  const pageStarts = [0]
  for (let at = text.indexOf(PAGE_END); at >= 0; at = text.indexOf(PAGE_END, at + 1)) pageStarts.push(at + 1)
  return { text: text.replaceAll(PAGE_END, "\n"), pageStarts, ...(headings && { headings }) }
}
