import type { ParsedDocument } from "@parley/core/adapter"
import { cleanText } from "../cleanText.ts"
import { decodeText } from "../text/decodeText.ts"
import { takeHeadings } from "../headingMarks.ts"
import { htmlText } from "./htmlText.ts"

/**
 * The first bytes of a page, in which the declaration of its encoding is searched. Browsers search only 1,024 bytes,
 * but some authors write long preambles.
 */
const PREAMBLE_BYTES = 256 * 1024
const DECLARED = /<(?:meta\b[^>]{0,500}?charset\s*=\s*|\?xml\b[^>]{0,200}?encoding\s*=\s*)["']?\s*([\w:.-]{2,40})/iu

const declaredEncoding = (bytes: Uint8Array): string | undefined =>
  DECLARED.exec(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, PREAMBLE_BYTES)).toString("latin1")
  )?.[1]

/** Reads a page of HTML in its actual encoding, even if it declares another one. */
export const parseHtml = (bytes: Uint8Array): ParsedDocument => ({
  ...takeHeadings(cleanText(htmlText(decodeText(bytes, declaredEncoding(bytes))))),
  pageStarts: null
})
