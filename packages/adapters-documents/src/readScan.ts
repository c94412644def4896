import { DocumentUnreadable, type OcrFailed, type OcrService, type ParsedDocument } from "@parley/core/adapter"
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

const NOTHING_IN_PICTURE =
  "No text was recognised in the picture. Upload a sharper one, taken from straight above, or a document with text."

/**
 * Reads the text of a picture. If the text recognition itself fails, the effect dies with a defect, as `readScan` does.
 */
export const readPictureText = Effect.fnUntraced(function* <E>(picture: Effect.Effect<ScanPage, E>, ocr: OcrService) {
  const text = yield* Effect.orDie(recognisedOn(1, yield* picture, ocr))
  if (text === "") return yield* new DocumentUnreadable({ failure: "scan", reason: NOTHING_IN_PICTURE })
  return { text, pageStarts: null } satisfies ParsedDocument
})

/**
 * Reads a scan page by page: the pictures of each page in the order in which they are drawn. If the text recognition
 * itself fails, the effect dies with a defect, so that it is tried again, and the document is not judged.
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
    texts.push(yield* Effect.orDie(recognisedOn(page, scanned, ocr)))
  }
  if (texts.every((text) => text === "")) {
    return yield* new DocumentUnreadable({ failure: "scan", reason: NOTHING_FOUND })
  }
  return joinPages(texts) satisfies ParsedDocument
})

/** Returns the text that was recognised on the pictures of a page. */
const recognisedOn = (page: number, { pictures }: ScanPage, ocr: OcrService): Effect.Effect<string, OcrFailed> =>
  Effect.map(
    Effect.forEach(pictures, (png) => ocr.recognise({ page, png })),
    (found) =>
      found
        .map((text) => cleanText(text).trim())
        .join("\n")
        .trim()
  )

/**
 * Reads the unread pages of a document by text recognition, if there is one, up to the limit of pages of a scan; a
 * notice counts the pages that remain unread. The recognised text follows the text of its page. The result does not
 * contain the list of unread pages.
 */
export const withUnreadPages = Effect.fnUntraced(function* (
  { unreadPages = [], ...document }: ReadDocument,
  pageOf: (page: number) => Effect.Effect<ScanPage, DocumentUnreadable>,
  ocr: OcrService | undefined,
  { maxScannedPages }: ParserLimits
) {
  const { headings, pageStarts, text } = document
  if (unreadPages.length === 0 || pageStarts === null) return document
  const texts = pageStarts.map((start, page) => text.slice(start, (pageStarts[page + 1] ?? text.length + 1) - 1))
  let unread = unreadPages.length
  for (const page of ocr === undefined ? [] : unreadPages.slice(0, maxScannedPages)) {
    const reading = Effect.flatMap(pageOf(page), (scanned) => recognisedOn(page, scanned, ocr!))
    const recognised = yield* Effect.catchTag(reading, ["DocumentUnreadable", "OcrFailed"], ({ _tag }) =>
      Effect.succeed(_tag === "OcrFailed" ? undefined : "")
    )
    if (recognised === undefined) break
    if (recognised === "") continue
    unread -= 1
    texts[page - 1] = joined(texts[page - 1] ?? "", recognised)
  }
  const notices = [
    ...(unread === 0 ? [] : [noticeOf(unread, texts.length)]),
    ...(document.notice ? [document.notice] : [])
  ]
  const notice = notices.length === 0 ? {} : { notice: notices.join(" ") }
  const pages = joinPages(texts)
  return { ...document, ...pages, ...movedHeadings(headings, pageStarts, pages), ...notice }
})

/**
 * Joins the text of a page and the text recognised on it. The recognised text alone is returned if it contains all
 * words of the page's text.
 */
const joined = (text: string, recognised: string): string => {
  const known = new Set(recognised.split(/\s+/u))
  const words = text.split(/\s+/u).filter((word) => word !== "")
  return words.every((word) => known.has(word)) ? recognised : `${text}\n${recognised}`
}

/** Moves headings to the new positions of their pages; headings whose line is no longer there are left out. */
const movedHeadings = (
  headings: ParsedDocument["headings"],
  before: ReadonlyArray<number>,
  { pageStarts: after, text }: ReturnType<typeof joinPages>
): Pick<ParsedDocument, "headings"> => {
  let page = 0
  const moved = (headings ?? []).flatMap((heading) => {
    // Both headings and pages are in the order of the text.
    while (page + 1 < before.length && (before[page + 1] ?? Infinity) <= heading.start) page += 1
    const start = heading.start + (after[page] ?? 0) - (before[page] ?? 0)
    return text.startsWith(heading.title, start) ? [{ ...heading, start }] : []
  })
  return moved.length === 0 ? {} : { headings: moved }
}
