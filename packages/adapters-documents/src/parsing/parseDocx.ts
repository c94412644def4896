import type { ParserLimits } from "../ParserLimits.ts"
import { checkArchive, DAMAGED } from "./checkArchive.ts"
import { cleanText } from "./cleanText.ts"
import { type DocxDocument, docxText } from "./docxText.ts"
import { Unreadable } from "./Unreadable.ts"

/** The first four bytes of a compound file, which is what Word wraps around an encrypted document. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0]

const loadReader = async () => (await import("mammoth")).default

/** Loads all that reading a Word document takes. */
export const loadDocxReader = async (): Promise<void> => {
  await loadReader()
}

/**
 * Reads the text of a Word document: paragraphs apart by a blank line, table rows as lines, notes at the end. The archive
 * is checked before anything is unpacked for reading. Nothing outside the file is opened: external references stay names.
 */
export const parseDocx = async (bytes: Uint8Array, limits: ParserLimits): Promise<string> => {
  if (COMPOUND_FILE.every((byte, index) => bytes[index] === byte)) {
    throw new Unreadable("The Word document is protected by a password. Remove the protection and upload it again.")
  }
  checkArchive(bytes, limits)
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
    throw new Unreadable(DAMAGED)
  }
  return cleanText(text ?? "").trim()
}
