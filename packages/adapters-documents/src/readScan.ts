import { DocumentUnreadable, type OcrService, type ParsedDocument } from "@parley/core/adapter"
import { Effect } from "effect"
import type { ScanPage } from "./parsing/pdf/parsePdf.ts"
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
    const found = yield* Effect.orDie(Effect.forEach(scanned.pictures, (png) => ocr.recognise({ page, png })))
    texts.push(
      found
        .map((text) => cleanText(text).trim())
        .join("\n")
        .trim()
    )
  }
  if (texts.every((text) => text === "")) {
    return yield* new DocumentUnreadable({ failure: "scan", reason: NOTHING_FOUND })
  }
  const pageStarts = texts.map((_, index) => texts.slice(0, index).reduce((sum, text) => sum + text.length + 1, 0))
  return { text: texts.join("\n"), pageStarts } satisfies ParsedDocument
})
