import type { ParserLimits } from "../ParserLimits.ts"
import { cleanText } from "./cleanText.ts"
import { pageText, type TextItem } from "./pageText.ts"
import { Unreadable } from "./Unreadable.ts"

const PROTECTED = "The PDF is protected by a password. Remove the protection and upload it again."
const DAMAGED = "The PDF is damaged and cannot be read. Export it again and upload the new file."
const INCOMPLETE = "The PDF is incomplete: its end is missing. Upload the whole file again."
const NO_TEXT_LAYER =
  "The PDF has no text layer; its pages are images. Run text recognition (OCR) on it and upload it again."

interface PagedText {
  readonly text: string
  readonly pageStarts: ReadonlyArray<number>
}

interface Page {
  getTextContent(): Promise<{ readonly items: ReadonlyArray<TextItem | { readonly type: string }> }>
  cleanup(): unknown
}

interface Pdf {
  readonly numPages: number
  readonly loadingTask: { destroy(): Promise<void> }
  getPage(number: number): Promise<Page>
}

/** Reads a PDF page by page. Pages are apart by a line end; a blank page is an empty one, so that numbers stay true. */
export const parsePdf = async (bytes: Uint8Array, limits: ParserLimits): Promise<PagedText> => {
  if (!hasEnd(bytes)) throw new Unreadable(INCOMPLETE)
  const pdf = await open(bytes)
  try {
    return await readPages(pdf, limits)
  } finally {
    await pdf.loadingTask.destroy()
  }
}

const readPages = async (pdf: Pdf, limits: ParserLimits): Promise<PagedText> => {
  if (pdf.numPages > limits.maxPages) {
    throw new Unreadable(`The PDF has ${pdf.numPages} pages; up to ${limits.maxPages} can be read. Split it.`)
  }
  const pageStarts: Array<number> = []
  const pages: Array<string> = []
  let length = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    const text = await readPage(pdf, number)
    pageStarts.push(length)
    pages.push(text)
    length += text.length + 1
    if (length > limits.maxTextLength) break
  }
  const text = pages.join("\n")
  if (text.trim() === "") throw new Unreadable(NO_TEXT_LAYER)
  return { text, pageStarts }
}

/**
 * Whether the end mark is within the last 2 KiB, padding left out. Without it the reader would rebuild what pages it can
 * find, and half a document would pass for the whole.
 */
const hasEnd = (bytes: Uint8Array): boolean => {
  let end = bytes.byteLength
  while (end > 0 && bytes[end - 1]! <= 0x20) end--
  return Buffer.from(bytes.buffer, bytes.byteOffset, end).includes("%%EOF", Math.max(0, end - 2048), "latin1")
}

const loadReader = async () => (await import("unpdf")).getResolvedPDFJS()

/** Loads all that reading a PDF takes. */
export const loadPdfReader = async (): Promise<void> => {
  await loadReader()
}

const open = async (bytes: Uint8Array): Promise<Pdf> => {
  const { getDocument, VerbosityLevel } = await loadReader()
  try {
    return await getDocument({
      data: bytes,
      verbosity: VerbosityLevel.ERRORS,
      disableFontFace: true,
      useSystemFonts: false,
      useWasm: false,
      enableXfa: false
    }).promise
  } catch (cause) {
    throw new Unreadable(cause instanceof Error && cause.name === "PasswordException" ? PROTECTED : DAMAGED)
  }
}

const readPage = async (pdf: Pdf, number: number): Promise<string> => {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return cleanText(pageText(items)).trim()
  } catch {
    throw new Unreadable(`Page ${number} of the PDF is damaged and cannot be read. Export the PDF again and upload it.`)
  }
}
