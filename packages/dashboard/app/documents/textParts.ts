import type { DocumentText } from "@parley/client"
import { reflow, shownSpan, type TextSpan } from "@parley/core/reading"
import { type TableOfText, tablesOfText } from "./tablesOfText.ts"

/** A stretch of a document's text. The type is unknown if the document was deleted. */
export type Stretch = Omit<DocumentText, "type"> & { readonly type?: string | undefined }

/** The kinds of highlights in a text. */
export type MarkKind = "passage" | "quote"

/** A highlighted stretch of a document's text, by UTF-16 offsets in the document. */
export interface Mark extends TextSpan {
  readonly kind: MarkKind
}

/** Consecutive characters with the same highlight. */
export interface TextPiece {
  readonly text: string
  readonly kinds: ReadonlySet<MarkKind>
}

export type Paragraph = ReadonlyArray<TextPiece>

/** A table for display: its cells with their highlights, undefined for missing cells. */
export interface ShownTable {
  readonly names: ReadonlyArray<Paragraph | undefined> | undefined
  /** True if the first column contains the names of the rows. */
  readonly namesRows: boolean
  readonly rows: ReadonlyArray<ReadonlyArray<Paragraph | undefined>>
}

export type TextPart = { readonly paragraph: Paragraph } | { readonly table: ShownTable }

/** The shown part of a page, or of a text without pages. */
export interface PageOfText {
  /** The number of the page; null if the document has no pages. */
  readonly page: number | null
  readonly parts: ReadonlyArray<TextPart>
}

const pageSpans = ({ from, pages, to }: Stretch): ReadonlyArray<TextSpan & { readonly page: number | null }> =>
  pages === null || pages.length === 0
    ? [{ page: null, start: from, end: to }]
    : pages.map(({ page, start, end }) => ({ page, start: Math.max(from, start), end: Math.min(to, end) }))

const piecesOf = (text: string, from: number, marks: ReadonlyArray<Mark>): Paragraph => {
  const to = from + text.length
  const cuts = new Set([from, to])
  for (const { start, end } of marks) for (const cut of [start, end]) if (cut > from && cut < to) cuts.add(cut)
  const places = [...cuts].toSorted((one, other) => one - other)
  return places.slice(0, -1).map((start, index) => {
    const end = places[index + 1] ?? to
    const over = marks.filter((mark) => mark.start < end && mark.end > start)
    return { text: text.slice(start - from, end - from), kinds: new Set(over.map(({ kind }) => kind)) }
  })
}

/** The text between tables; its lines are joined to paragraphs. */
const paragraphsOf = (text: string, from: number, marks: ReadonlyArray<Mark>): ReadonlyArray<TextPart> => {
  const to = from + text.length
  const reflowed = reflow(text)
  const here = marks
    .filter((mark) => mark.start < to && mark.end > from)
    .map(({ end, kind, start }) => ({
      kind,
      ...shownSpan(reflowed, { start: Math.max(0, start - from), end: Math.min(to, end) - from })
    }))
  const found: Array<TextPart> = []
  let at = 0
  for (const shown of reflowed.text.split("\n\n")) {
    if (shown.trim() !== "") found.push({ paragraph: piecesOf(shown, at, here) })
    at += shown.length + 2
  }
  return found
}

const shownTable = (text: string, from: number, table: TableOfText, marks: ReadonlyArray<Mark>): ShownTable => {
  const cell = (span: TextSpan | undefined) =>
    span && piecesOf(text.slice(span.start, span.end), from + span.start, marks)
  return {
    names: table.names?.map((name) =>
      typeof name === "string" ? [{ text: name, kinds: new Set<MarkKind>() }] : cell(name)
    ),
    namesRows: table.namesRows,
    rows: table.rows.map((row) => row.map(cell))
  }
}

/** The type of a document: from the server, otherwise the extension of the file's name. */
const kindOf = ({ filename, type }: Stretch): string =>
  type ?? filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()

const HEADING_MARK = /^#{1,6}[ \t]+(?=\S.*$)/u

/** A paragraph that is a Markdown heading, without the marks; undefined for other paragraphs. */
export const headingOf = (paragraph: Paragraph): Paragraph | undefined => {
  let left = HEADING_MARK.exec(paragraph.map(({ text }) => text).join(""))?.[0].length
  if (left === undefined) return undefined
  return paragraph.map((piece) => {
    const text = piece.text.slice(left)
    left = Math.max(0, (left ?? 0) - piece.text.length)
    return { ...piece, text }
  })
}

/** Prepares a stretch of a document for reading: page by page, with tables and highlights. */
export const pagesOfText = (stretch: Stretch, marks: ReadonlyArray<Mark>): ReadonlyArray<PageOfText> =>
  pageSpans(stretch)
    .map(({ page, start, end }) => {
      const text = stretch.text.slice(start - stretch.from, end - stretch.from)
      const isCutBefore = start === stretch.from && start > 0
      const tables = tablesOfText(
        { text, isCutBefore, isCutAfter: end === stretch.to && end < stretch.length },
        kindOf(stretch)
      )
      const parts: Array<TextPart> = []
      let at = 0
      for (const table of tables) {
        parts.push(...paragraphsOf(text.slice(at, table.start), start + at, marks))
        parts.push({ table: shownTable(text, start, table, marks) })
        at = table.end
      }
      parts.push(...paragraphsOf(text.slice(at), start + at, marks))
      return { page, parts }
    })
    .filter(({ parts }) => parts.length > 0)
