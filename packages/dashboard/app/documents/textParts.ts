import { reflow, shownSpan, type TextSpan } from "@parley/core/reading"
import type { DocumentText } from "../api/documentText.ts"

/** The kinds of highlighting in a text. */
export type MarkKind = "passage" | "quote"

/** A stretch of a document's text that stands out: UTF-16 offsets in the document. */
export interface Mark extends TextSpan {
  readonly kind: MarkKind
}

/** Characters that stand out in the same way. */
export interface TextPiece {
  readonly text: string
  readonly kinds: ReadonlySet<MarkKind>
}

export type Paragraph = ReadonlyArray<TextPiece>

/** The shown part of a page, or of a text without pages. */
export interface PageOfText {
  /** Null if the document has no pages. */
  readonly page: number | null
  readonly paragraphs: ReadonlyArray<Paragraph>
}

const pageSpans = ({ from, pages, to }: DocumentText): ReadonlyArray<TextSpan & { readonly page: number | null }> =>
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

const paragraphsOf = (shown: string, marks: ReadonlyArray<Mark>): ReadonlyArray<Paragraph> => {
  const found: Array<Paragraph> = []
  let from = 0
  for (const text of shown.split("\n\n")) {
    if (text.trim() !== "") found.push(piecesOf(text, from, marks))
    from += text.length + 2
  }
  return found
}

const HEADING_MARK = /^#{1,6}[ \t]+(?=\S.*$)/u

/** A paragraph that is a Markdown heading, without its marks; undefined for any other paragraph. */
export const headingOf = (paragraph: Paragraph): Paragraph | undefined => {
  let left = HEADING_MARK.exec(paragraph.map(({ text }) => text).join(""))?.[0].length
  if (left === undefined) return undefined
  return paragraph.map((piece) => {
    const text = piece.text.slice(left)
    left = Math.max(0, (left ?? 0) - piece.text.length)
    return { ...piece, text }
  })
}

/** A stretch of a document for reading, page by page, with its highlights. */
export const pagesOfText = (stretch: DocumentText, marks: ReadonlyArray<Mark>): ReadonlyArray<PageOfText> =>
  pageSpans(stretch)
    .map(({ page, start, end }) => {
      const shown = reflow(stretch.text.slice(start - stretch.from, end - stretch.from))
      const here = marks
        .filter((mark) => mark.start < end && mark.end > start)
        .map((mark) => ({
          kind: mark.kind,
          ...shownSpan(shown, { start: Math.max(0, mark.start - start), end: Math.min(end, mark.end) - start })
        }))
      return { page, paragraphs: paragraphsOf(shown.text, here) }
    })
    .filter(({ paragraphs }) => paragraphs.length > 0)
