import type { ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { ParserLimits } from "../ParserLimits.ts"
import { markdownHeadings } from "./text/markdownHeadings.ts"
import { decodeText } from "./text/decodeText.ts"
import { parseCsv } from "./text/parseCsv.ts"
import type { AttachmentKinds } from "./mail/parseMail.ts"
import type { ScanPage } from "./pdf/parsePdf.ts"
import { Unreadable } from "./Unreadable.ts"

interface Parser {
  /** Loads all modules that the parser needs, so that it opens no file afterwards. */
  readonly load: () => Promise<void>
  readonly parse: (bytes: Uint8Array, limits: ParserLimits, attachments: AttachmentKinds) => Promise<ParsedDocument>
  /** Returns the pictures of a page for text recognition; pages are counted from 1. */
  readonly picturesOf?: (bytes: Uint8Array, limits: ParserLimits, page: number) => Promise<ScanPage>
}

/** Makes a parser that needs no modules to be loaded. */
const inline = (parse: (bytes: Uint8Array, limits: ParserLimits) => ParsedDocument): Parser => ({
  load: () => Promise.resolve(),
  parse: async (bytes, limits) => parse(bytes, limits)
})

const UNRECOGNISED =
  "The text of a picture can only be read by text recognition, and this server has none: its operator sets it up by PARLEY_OCR_DATA. Upload a document with text."

/**
 * The parser of each kind in the core's table of document types. Parsers of binary formats are large, so they are
 * loaded when first used.
 */
const PARSERS: Readonly<Record<ParserKind, Parser>> = {
  pdf: {
    load: async () => (await import("./pdf/parsePdf.ts")).loadPdfReader(),
    parse: async (bytes, limits) => (await import("./pdf/parsePdf.ts")).parsePdf(bytes, limits),
    picturesOf: async (bytes, _limits, page) => (await import("./pdf/parsePdf.ts")).readScanPage(bytes, page)
  },
  image: {
    load: async () => (await import("./image/readPicture.ts")).loadDecoders(),
    parse: async () => {
      throw new Unreadable("scan", UNRECOGNISED)
    },
    picturesOf: async (bytes, limits) => (await import("./image/readPicture.ts")).readPicture(bytes, limits)
  },
  docx: {
    load: async () => (await import("./office/parseDocx.ts")).loadDocxReader(),
    parse: async (bytes, limits) => (await import("./office/parseDocx.ts")).parseDocx(bytes, limits)
  },
  xlsx: {
    load: async () => void (await import("./office/parseXlsx.ts")),
    parse: async (bytes, limits) => (await import("./office/parseXlsx.ts")).parseXlsx(bytes, limits)
  },
  pptx: {
    load: async () => void (await import("./office/parsePptx.ts")),
    parse: async (bytes, limits) => (await import("./office/parsePptx.ts")).parsePptx(bytes, limits)
  },
  opendocument: {
    load: async () => void (await import("./office/parseOpenDocument.ts")),
    parse: async (bytes, limits) => (await import("./office/parseOpenDocument.ts")).parseOpenDocument(bytes, limits)
  },
  epub: {
    load: async () => void (await import("./office/parseEpub.ts")),
    parse: async (bytes, limits) => (await import("./office/parseEpub.ts")).parseEpub(bytes, limits)
  },
  html: {
    load: async () => void (await import("./html/parseHtml.ts")),
    parse: async (bytes) => (await import("./html/parseHtml.ts")).parseHtml(bytes)
  },
  mail: {
    // Attachments may be documents of any kind with a text, so their parsers are loaded too.
    load: async () => {
      await import("./mail/parseMail.ts")
      for (const [kind, { load }] of Object.entries(PARSERS)) if (!["image", "mail"].includes(kind)) await load()
    },
    parse: async (bytes, limits, attachments) => {
      const { parseMail } = await import("./mail/parseMail.ts")
      const parseAttachment = (kind: ParserKind, attached: Uint8Array) =>
        parseDocument(kind, attached, limits, attachments)
      return parseMail(bytes, limits, { attachments, parse: parseAttachment })
    }
  },
  rtf: {
    load: async () => void (await import("./rtf/parseRtf.ts")),
    parse: async (bytes) => (await import("./rtf/parseRtf.ts")).parseRtf(bytes)
  },
  csv: inline(parseCsv),
  markdown: inline((bytes) => {
    const text = decodeText(bytes)
    return { text, pageStarts: null, headings: markdownHeadings(text) }
  }),
  text: inline((bytes) => ({ text: decodeText(bytes), pageStarts: null }))
}

/** Loads the parser of a kind. A process loads only the kind that it needs; every process can read text. */
export const loadParser = (kind: ParserKind): Promise<void> => PARSERS[kind].load()

/** Returns the pictures of a page of a scan. If they cannot be read, throws `Unreadable` with the reason. */
export const readScanPage = async (
  kind: ParserKind,
  bytes: Uint8Array,
  limits: ParserLimits,
  page: number
): Promise<ScanPage> => (await PARSERS[kind].picturesOf?.(bytes, limits, page)) ?? { pictures: [], pages: 1 }

/**
 * Reads a document's text; `attachments` are the kinds of attachments that are read in a message. If the document has
 * no readable text, throws `Unreadable` with the reason.
 */
export const parseDocument = async (
  kind: ParserKind,
  bytes: Uint8Array,
  limits: ParserLimits,
  attachments: AttachmentKinds = new Map()
): Promise<ParsedDocument> => {
  const parsed = await PARSERS[kind].parse(bytes, limits, attachments)
  if (parsed.text.length > limits.maxTextLength) {
    throw new Unreadable(
      "too_long",
      `The document holds more than the ${limits.maxTextLength.toLocaleString("en-US")} characters of text that can be read. Split it.`
    )
  }
  if (parsed.text.trim() === "") throw new Unreadable("no_text", "The document holds no text. Upload one that does.")
  return parsed
}
