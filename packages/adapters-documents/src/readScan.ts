import { DocumentUnreadable, type OcrService, type ParsedDocument } from "@parley/core/adapter"
import { Effect } from "effect"
import type { ScanPage } from "./parsing/pdf/parsePdf.ts"
import { joinPages, noticeOf } from "./parsing/pdf/unreadPages.ts"
import type { ReadDocument } from "./process/ParserMessage.ts"
import { cleanText } from "./parsing/cleanText.ts"
import type { ParserLimits } from "./ParserLimits.ts"

const NOTHING_FOUND =
  "The PDF is a scan, and no text was recognised on its pages. Scan it again in better quality, or upload it with a text layer."

const tooManyPages = (pages: number, most: number): string =>
  `The PDF is a scan of ${pages.toLocaleString("en-US")} pages; text is recognised on up to ${most.toLocaleString("en-US")}. Split it.`

/**
 * Reads a scan page by page: the pictures of each in the order they are drawn, the text of a page on its own. A text
 * recognition that does not work is a defect, which is tried again, and no verdict on the document.
 */
export const readScan = Effect.fnUntraced(function* <E>(
  pageOf: (page: number) => Effect.Effect<ScanPage, E>,
  ocr: OcrService,
  { maxScannedPages }: ParserLimits
) {
  const texts: Array<string> = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const scanned = yield* pageOf(page)
    pages = scanned.pages
    if (pages > maxScannedPages) {
      return yield* new DocumentUnreadable({ failure: "too_long", reason: tooManyPages(pages, maxScannedPages) })
    }
    texts.push(yield* recognisedOn(page, scanned, ocr))
  }
  if (texts.every((text) => text === "")) {
    return yield* new DocumentUnreadable({ failure: "scan", reason: NOTHING_FOUND })
  }
  return joinPages(texts) satisfies ParsedDocument
})

/** The text on the pictures of a page. */
const recognisedOn = (page: number, { pictures }: ScanPage, ocr: OcrService): Effect.Effect<string> =>
  Effect.map(Effect.orDie(Effect.forEach(pictures, (png) => ocr.recognise({ page, png }))), (found) =>
    found
      .map((text) => cleanText(text).trim())
      .join("\n")
      .trim()
  )

/**
 * Returns a document without the list of its unread pages: text recognition reads as many of them as of a scan, if there
 * is one, and a notice counts the others. A page of which more is recognised than its text has the recognised text.
 */
export const withUnreadPages = Effect.fnUntraced(function* <E>(
  { unreadPages = [], ...document }: ReadDocument,
  pageOf: (page: number) => Effect.Effect<ScanPage, E>,
  ocr: OcrService | undefined,
  { maxScannedPages }: ParserLimits
): Effect.fn.Return<ParsedDocument, E> {
  const { headings, pageStarts, text } = document
  if (unreadPages.length === 0 || pageStarts === null) return document
  const texts = pageStarts.map((start, page) => text.slice(start, (pageStarts[page + 1] ?? text.length + 1) - 1))
  const replaced = new Set<number>()
  let unread = unreadPages.length
  for (const page of ocr === undefined ? [] : unreadPages.slice(0, maxScannedPages)) {
    const recognised = yield* recognisedOn(page, yield* pageOf(page), ocr!)
    if (recognised === "") continue
    unread -= 1
    if (recognised.length <= texts[page - 1]!.length) continue
    texts[page - 1] = recognised
    replaced.add(page)
  }
  const notice = unread === 0 ? {} : { notice: noticeOf(unread, texts.length) }
  const joined = joinPages(texts)
  return { ...document, ...joined, ...movedHeadings(headings, pageStarts, joined.pageStarts, replaced), ...notice }
})

/** The headings at the places of their pages, but for those of pages whose text was replaced. */
const movedHeadings = (
  headings: ParsedDocument["headings"],
  before: ReadonlyArray<number>,
  after: ReadonlyArray<number>,
  replaced: ReadonlySet<number>
): Pick<ParsedDocument, "headings"> => {
  const moved = (headings ?? []).flatMap((heading) => {
    const page = before.findLastIndex((start) => start <= heading.start)
    const shift = (after[page] ?? 0) - (before[page] ?? 0)
    return replaced.has(page + 1) ? [] : [{ ...heading, start: heading.start + shift }]
  })
  return moved.length === 0 ? {} : { headings: moved }
}
