import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { type DocxDocument, docxText } from "./docxText.ts"
import { takeHeadings } from "../headingMarks.ts"
import { archiveProblems, readArchive } from "./readArchive.ts"

const NOUN = "Word document"

const loadReader = async () => (await import("mammoth")).default

/** Loads all that reading a Word document takes. */
export const loadDocxReader = async (): Promise<void> => {
  await loadReader()
}

/**
 * Reads the text of a Word document: paragraphs apart by a blank line, table rows as lines, notes at the end, its headings by their
 * styles. The archive
 * is checked before anything is unpacked for reading. Nothing outside the file is opened: external references stay names.
 */
export const parseDocx = async (bytes: Uint8Array, limits: ParserLimits): Promise<ParsedDocument> => {
  readArchive(bytes, limits, NOUN)
  const mammoth = await loadReader()
  let text: string | undefined
  const transformDocument = (document: DocxDocument) => {
    text = docxText(document)
    return { ...document, children: [] }
  }
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    await mammoth.convertToHtml({ buffer }, { transformDocument, externalFileAccess: false })
  } catch {
    throw archiveProblems(NOUN).damaged()
  }
  return { ...takeHeadings(cleanText(text ?? "").trim()), pageStarts: null }
}
