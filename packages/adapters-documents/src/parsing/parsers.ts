import type { ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { ParserLimits } from "../ParserLimits.ts"
import { markdownHeadings } from "./text/markdownHeadings.ts"
import { decodeText } from "./text/decodeText.ts"
import { parseCsv } from "./text/parseCsv.ts"

interface Parser {
  /** Loads all that reading takes, so that nothing need be opened afterwards. */
  readonly load: () => Promise<void>
  readonly parse: (bytes: Uint8Array, limits: ParserLimits) => Promise<ParsedDocument>
}

/** The parser of each kind in the core's table of document types. Those of binary formats are large and loaded where needed. */
export const PARSERS: Readonly<Record<ParserKind, Parser>> = {
  pdf: {
    load: async () => (await import("./pdf/parsePdf.ts")).loadPdfReader(),
    parse: async (bytes, limits) => (await import("./pdf/parsePdf.ts")).parsePdf(bytes, limits)
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
  html: {
    load: async () => void (await import("./html/parseHtml.ts")),
    parse: async (bytes) => (await import("./html/parseHtml.ts")).parseHtml(bytes)
  },
  csv: {
    load: () => Promise.resolve(),
    parse: (bytes, limits) => Promise.resolve(parseCsv(bytes, limits))
  },
  markdown: {
    load: () => Promise.resolve(),
    parse: (bytes) => {
      const text = decodeText(bytes)
      return Promise.resolve({ text, pageStarts: null, headings: markdownHeadings(text) })
    }
  },
  text: {
    load: () => Promise.resolve(),
    parse: (bytes) => Promise.resolve({ text: decodeText(bytes), pageStarts: null })
  }
}
