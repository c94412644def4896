import { dropMarks, headingMark, takeHeadings, withoutMarks } from "../headingMarks.ts"
import { tableLines } from "../tableLines.ts"
import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { type DocxParts, readDocxParts } from "./docxParts.ts"
import { type Archive, archiveProblems, readArchive } from "./readArchive.ts"
import { decodeXml } from "./readXml.ts"
import { outlineLevelOf, withKnownElements } from "./wordXml.ts"

/** The most columns that a cell is taken to cover. */
const MAX_SPAN = 50

/** The parts of mammoth's document model that carry text. */
export interface DocxElement {
  readonly type: string
  readonly value?: string
  /** A paragraph's style, by the name that Word stores, not the one that it shows: "heading 1". */
  readonly styleName?: string | null
  readonly styleId?: string | null
  /** Of a row: it is repeated at the top of each page, and so names the columns. */
  readonly isHeader?: boolean
  /** Of a cell. */
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

/** The input and the results of reading a body. */
interface Reading extends Pick<DocxParts, "outline"> {
  readonly references: Array<NoteReference>
}

/**
 * The text of a Word document, marks before its headings (`takeHeadings`): page headers, the body, its footnotes and
 * endnotes in the order they are referred to, comments, page footers.
 */
export const docxText = (document: DocxDocument, parts: DocxParts): string => {
  const reading: Reading = { outline: parts.outline, references: [] }
  const body = blocks(document, reading)
  // A note may refer to no further note, so that this list does not grow while it is read.
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

/** A table of one column lays out a page. */
const tableText = (table: DocxElement, reading: Reading): string => {
  const rows = rowsOf(table)
  if (rows.every(({ children = [] }) => children.length < 2)) return blocks(table, reading)
  const cells = rows.map(({ children = [] }) => children.flatMap((cell) => cellTexts(cell, reading)))
  const lines = [...tableLines(cells, rows[0]?.isHeader === true ? "yes" : "unknown")]
  return lines.map((line) => `${line}\n`).join("")
}

const rowsOf = (table: DocxElement): ReadonlyArray<DocxElement> =>
  (table.children ?? []).filter(({ type }) => type === "tableRow")

/** A cell over several columns stands in the first of them. */
const cellTexts = (cell: DocxElement, reading: Reading): ReadonlyArray<string> => [
  dropMarks(blocks(cell, reading)),
  ...Array.from({ length: Math.min(MAX_SPAN, Math.max(1, cell.colSpan ?? 1)) - 1 }, () => "")
]

const NOUN = "Word document"

const loadReader = async () => (await import("mammoth")).default

/** Loads all that reading a Word document takes. */
export const loadDocxReader = async (): Promise<void> => {
  await loadReader()
}

/** The archive as mammoth reads one, which its types do not name: the text of parts only, as no picture is read. */
const fileOf = ({ read }: Archive) => ({
  exists: (name: string) => read(name) !== undefined,
  read: async (name: string) => withKnownElements(decodeXml(read(name) ?? new Uint8Array()))
})

/**
 * Reads the text of a Word document: paragraphs apart by a blank line, table rows as lines, notes at the end, its
 * headings by their styles or outline levels. The archive is checked before anything is unpacked for reading. Nothing outside the file is
 * opened: external references stay names.
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
