import { dropMarks, headingMark, takeHeadings, withoutMarks } from "../headingMarks.ts"
import { tableLines } from "../tableLines.ts"
import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { type DocxParts, readDocxParts } from "./docxParts.ts"
import { type Archive, archiveProblems, readArchive } from "./readArchive.ts"
import { decodeXml } from "./readXml.ts"
import { outlineLevelOf, withKnownElements } from "./wordXml.ts"

/** The most columns that a cell may cover. */
const MAX_SPAN = 50

/** The parts of mammoth's document model that contain text. */
export interface DocxElement {
  readonly type: string
  readonly value?: string
  /** The name of the paragraph's style as Word stores it ("heading 1"), which differs from the displayed name. */
  readonly styleName?: string | null
  readonly styleId?: string | null
  /** For a row: true if Word repeats it at the top of each page, so that it names the columns. */
  readonly isHeader?: boolean
  /** For a cell: the number of columns that it covers. */
  readonly colSpan?: number
  readonly children?: ReadonlyArray<DocxElement>
}

interface NoteReference extends DocxElement {
  readonly noteType: string
  readonly noteId: string
}

export interface DocxDocument extends DocxElement {
  readonly notes: { resolve(reference: NoteReference): { readonly body: ReadonlyArray<DocxElement> } | null }
}

const markOf = ({ styleId, styleName }: DocxElement, { outline }: Reading): string => {
  const ownLevel = outlineLevelOf(styleId ?? "")
  if (ownLevel !== undefined) return ownLevel === 0 ? "" : headingMark(ownLevel)
  const level = /^heading ([1-9])$/i.exec(styleName ?? "")?.[1] ?? outline.get(styleId ?? "")
  if (level !== undefined) return headingMark(Number(level))
  return /^title$/i.test(styleName ?? "") ? headingMark(1) : ""
}

/** The levels of headings by style, and the notes to which the text that was read so far refers. */
interface Reading extends Pick<DocxParts, "outline"> {
  readonly references: Array<NoteReference>
}

/**
 * Returns the text of a Word document with marks before its headings (see `takeHeadings`): page headers, body,
 * footnotes and endnotes in the order in which the body refers to them, comments, page footers.
 */
export const docxText = (document: DocxDocument, parts: DocxParts): string => {
  const reading: Reading = { outline: parts.outline, references: [] }
  const body = blocks(document, reading)
  // References within a note are ignored, so this list does not grow while it is read.
  const notes = reading.references.flatMap((reference) => document.notes.resolve(reference)?.body ?? [])
  const beside = notes.map((element) => render(element, { ...reading, references: [] })).join("")
  const comments = parts.comments.map((comment) => `Comment: ${comment}\n\n`).join("")
  return `${linesAlone(parts.headers)}${body}${beside}${comments}${linesAlone(parts.footers)}`
}

const linesAlone = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n\n`).join("")

const blocks = (element: DocxElement, reading: Reading): string =>
  (element.children ?? []).map((child) => render(child, reading)).join("")

const render = (element: DocxElement, reading: Reading): string => {
  switch (element.type) {
    case "text":
      return withoutMarks(element.value ?? "")
    case "tab":
      return "\t"
    case "break":
      return "\n"
    case "paragraph":
      return `${markOf(element, reading)}${blocks(element, reading)}\n\n`
    case "table":
      return `${tableText(element, reading)}\n`
    case "noteReference":
      reading.references.push(element as NoteReference)
      return ""
    default:
      return blocks(element, reading)
  }
}

/** A table with one column lays out a page, so it is written as blocks. */
const tableText = (table: DocxElement, reading: Reading): string => {
  const rows = rowsOf(table)
  if (rows.every(({ children = [] }) => children.length < 2)) return blocks(table, reading)
  const cells = rows.map(({ children = [] }) => children.flatMap((cell) => cellTexts(cell, reading)))
  const lines = [...tableLines(cells, rows[0]?.isHeader === true ? "yes" : "unknown")]
  return lines.map((line) => `${line}\n`).join("")
}

const rowsOf = (table: DocxElement): ReadonlyArray<DocxElement> =>
  (table.children ?? []).filter(({ type }) => type === "tableRow")

/** The text of a cell over several columns is in the first of them. */
const cellTexts = (cell: DocxElement, reading: Reading): ReadonlyArray<string> => [
  dropMarks(blocks(cell, reading)),
  ...Array.from({ length: Math.min(MAX_SPAN, Math.max(1, cell.colSpan ?? 1)) - 1 }, () => "")
]

const NOUN = "Word document"

const loadReader = async () => (await import("mammoth")).default

/** Loads all modules that reading a Word document needs. */
export const loadDocxReader = async (): Promise<void> => {
  await loadReader()
}

/**
 * The archive in the form that mammoth reads, which mammoth's types do not name. Only texts of entries can be read,
 * because no pictures are needed.
 */
const fileOf = ({ read }: Archive) => ({
  exists: (name: string) => read(name) !== undefined,
  read: async (name: string) => withKnownElements(decodeXml(read(name) ?? new Uint8Array()))
})

/**
 * Reads the text of a Word document: paragraphs separated by blank lines, table rows as lines, notes at the end.
 * Headings are recognised by styles or outline levels. The archive is checked before any entry is unpacked for reading.
 * Nothing outside the file is opened: external references are not followed.
 */
export const parseDocx = async (bytes: Uint8Array, limits: ParserLimits): Promise<ParsedDocument> => {
  const archive = readArchive(bytes, limits, NOUN)
  const parts = readDocxParts(archive)
  const mammoth = await loadReader()
  let text: string | undefined
  const transformDocument = (document: DocxDocument) => {
    text = docxText(document, parts)
    return { ...document, children: [] }
  }
  try {
    await mammoth.convertToHtml({ file: fileOf(archive) } as never, { transformDocument, externalFileAccess: false })
  } catch {
    throw archiveProblems(NOUN).damaged()
  }
  return { ...takeHeadings(cleanText(text ?? "").trim()), pageStarts: null }
}
