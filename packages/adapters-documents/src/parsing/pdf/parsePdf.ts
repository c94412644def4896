import type { Heading } from "@parley/core/reading"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { CharacterMaps, loadCharacterMaps } from "./characterMaps.ts"
import { type Operators, pageCover } from "./pageCover.ts"
import { headingLevels, markedText } from "./headingLevels.ts"
import type { PageLine } from "./page.ts"
import { type OutlinedPdf, outlineLevels, type PdfReference, readOutline } from "./outline.ts"
import { pageLines, type TextItem } from "./pageLines.ts"
import { pagePictures, type PicturedPage } from "./pagePictures.ts"
import {
  CAPTION_LENGTH,
  countSigns,
  isUnmapped,
  joinPages,
  lostSignsNotice,
  type ReadPage,
  withoutStamps
} from "./unreadPages.ts"
import { takeHeadings } from "../headingMarks.ts"
import { Unreadable } from "../Unreadable.ts"

const PROTECTED = "The PDF is protected by a password. Remove the protection and upload it again."
const DAMAGED = "The PDF is damaged and cannot be read. Export it again and upload the new file."
const INCOMPLETE = "The PDF is incomplete: its end is missing. Upload the whole file again."
const SCAN =
  "The PDF is a scan: its pages are images without a text layer. Run text recognition (OCR) on it and upload it again."
const NO_TEXT =
  "The PDF has no text in it: its pages are blank, or draw their letters as shapes. Upload one that holds text."

const tooManyPages = (pages: number, most: number): string =>
  `The PDF has ${pages.toLocaleString("en-US")} pages; up to ${most.toLocaleString("en-US")} can be read. Split it.`

const isLocked = (cause: unknown): boolean => cause instanceof Error && cause.name === "PasswordException"

/**
 * The text of a PDF. `unreadPages` are the numbers of its pages without readable text, counted from 1; absent if there
 * are none.
 */
export interface PagedText {
  readonly text: string
  readonly pageStarts: ReadonlyArray<number>
  /** The headings, found by the outline or else by the size of their letters; absent if there are none. */
  readonly headings?: ReadonlyArray<Heading>
  readonly unreadPages?: ReadonlyArray<number>
  /** A sentence for the owner about signs that are lost on the other pages. */
  readonly notice?: string
}

/** The pictures of one page of a scan, as PNG files. */
export interface ScanPage {
  readonly pictures: ReadonlyArray<Uint8Array>
  /** The number of pages of the whole document. */
  readonly pages: number
}

interface Page extends PicturedPage {
  readonly view: ReadonlyArray<number>
  readonly ref: PdfReference | null
  getTextContent(): Promise<{ readonly items: ReadonlyArray<TextItem | { readonly type: string }> }>
}

interface Pdf extends OutlinedPdf {
  readonly numPages: number
  readonly loadingTask: { destroy(): Promise<void> }
  getPage(number: number): Promise<Page>
}

/**
 * Reads a PDF page by page. A line break separates pages, and a blank page stays as an empty one, so that page numbers
 * are correct.
 */
export const parsePdf = async (bytes: Uint8Array, limits: ParserLimits): Promise<PagedText> => {
  const scanned = hasImages(bytes)
  if (!hasEnd(bytes)) throw new Unreadable("incomplete", INCOMPLETE)
  const pdf = await open(bytes)
  try {
    return await readPages(pdf, limits, scanned)
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/** Returns the pictures of a page for text recognition, in the order in which the page draws them. */
export const readScanPage = async (bytes: Uint8Array, page: number): Promise<ScanPage> => {
  const pdf = await open(bytes)
  try {
    const { OPS } = await loadReader()
    const pictures = page > pdf.numPages ? [] : await pagePictures(await pdf.getPage(page), OPS.paintImageXObject)
    return { pictures, pages: pdf.numPages }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

const readPages = async (pdf: Pdf, limits: ParserLimits, scanned: boolean): Promise<PagedText> => {
  if (pdf.numPages > limits.maxPages) {
    throw new Unreadable("too_long", tooManyPages(pdf.numPages, limits.maxPages))
  }
  const { OPS } = await loadReader()
  const all: Array<ReadPage & { readonly lines: ReadonlyArray<PageLine> }> = []
  const references: Array<PdfReference | null> = []
  let length = 0
  let left = timeToExamine(limits)
  for (let number = 1; number <= pdf.numPages && length <= limits.maxTextLength; number++) {
    const { lines, page } = await readPage(pdf, number)
    const shown = lines.map((line) => line.text).join("\n")
    const text = isUnmapped(shown) ? "" : cleanText(shown).trim()
    const mayBeUnread = text === "" || (scanned && text.length < CAPTION_LENGTH)
    const began = performance.now()
    // If no time is left to examine the page, an empty page counts as unread if the file has images.
    const isUnread = mayBeUnread && (left > 0 ? await isUnreadPage(page, text, OPS) : scanned && text === "")
    left -= performance.now() - began
    all.push({ text, isUnread, lines })
    references.push(page.ref)
    length += text.length + 1
  }
  const pages = withoutStamps(all)
  const lines = all.map((page) => page.lines)
  const marks = await readOutline(pdf, references).catch(() => [])
  const levelOf = outlineLevels(marks, lines) ?? headingLevels(lines)
  const read = pages.map(({ text }, place) =>
    text === "" ? { text, headings: [] } : takeHeadings(cleanText(markedText(all[place]?.lines ?? [], levelOf)).trim())
  )
  const { pageStarts, text } = joinPages(read.map((page) => page.text))
  if (text.trim() === "") throw scanned ? new Unreadable("scan", SCAN) : new Unreadable("no_text", NO_TEXT)
  const headings = read.flatMap((page, place) =>
    page.headings.map((heading) => ({ ...heading, start: heading.start + (pageStarts[place] ?? 0) }))
  )
  const kept = all.flatMap(({ lines: own, text: read }) => (read === "" ? [] : own.map((line) => line.text)))
  const notice = lostSignsNotice(countSigns(kept.join("\n")))
  const unreadPages = pages.flatMap(({ isUnread }, place) => (isUnread ? [place + 1] : []))
  return {
    text,
    pageStarts,
    ...(headings.length === 0 ? {} : { headings }),
    ...(unreadPages.length === 0 ? {} : { unreadPages }),
    ...(notice === undefined ? {} : { notice })
  }
}

/** The share of the smallest document's time limit for examining what pages draw, because some pages draw very much. */
const EXAMINED_SHARE = 0.2

const timeToExamine = ({ baseMilliseconds }: ParserLimits): number => baseMilliseconds * EXAMINED_SHARE
/** A page whose share covered by pictures is at least this counts as a scan. */
const SCAN_COVER = 0.5

/**
 * True if a page with little text shows more than its text: a picture over most of the page, or letters whose codes are
 * lost.
 */
const isUnreadPage = async (page: Page, text: string, operators: Operators): Promise<boolean> => {
  const cover = await pageCover(page, operators).catch(() => undefined)
  return cover !== undefined && (cover.pictures >= SCAN_COVER || (text === "" && cover.showsText))
}

/**
 * True if the file contains images. Each image is a stream, and the dictionaries of streams are never compressed (PDF
 * 1.7, 7.5.7).
 */
const hasImages = (bytes: Uint8Array): boolean =>
  /\/Subtype\s{0,8}\/Image\b/u.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))

/**
 * True if the end mark is within the last 2 KiB, trailing white space not counted. Without the end mark, pdf.js would
 * rebuild only some pages, and half a document would look complete.
 */
const hasEnd = (bytes: Uint8Array): boolean => {
  let end = bytes.byteLength
  while (end > 0 && bytes[end - 1]! <= 0x20) end--
  return Buffer.from(bytes.buffer, bytes.byteOffset, end).includes("%%EOF", Math.max(0, end - 2048), "latin1")
}

const loadReader = async () => (await import("unpdf")).getResolvedPDFJS()

/** Loads all modules and data that reading a PDF needs. */
export const loadPdfReader = async (): Promise<void> => {
  loadCharacterMaps()
  await loadReader()
}

const open = async (bytes: Uint8Array): Promise<Pdf> => {
  const { getDocument, VerbosityLevel } = await loadReader()
  try {
    return await getDocument({
      data: bytes,
      BinaryDataFactory: CharacterMaps,
      verbosity: VerbosityLevel.ERRORS,
      disableFontFace: true,
      useSystemFonts: false,
      useWasm: false,
      enableXfa: false
    }).promise
  } catch (cause) {
    throw isLocked(cause) ? new Unreadable("password", PROTECTED) : new Unreadable("damaged", DAMAGED)
  }
}

const readPage = async (pdf: Pdf, number: number) => {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return { page, lines: pageLines(items) }
  } catch {
    throw new Unreadable(
      "damaged",
      `Page ${number} of the PDF is damaged and cannot be read. Export the PDF again and upload it.`
    )
  }
}
