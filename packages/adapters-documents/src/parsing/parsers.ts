import type { ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { ParserLimits } from "../ParserLimits.ts"
import { parseText } from "./parseText.ts"

interface Parser {
  /** Loads all that reading takes, so that nothing need be opened afterwards. */
  readonly load: () => Promise<void>
  readonly parse: (bytes: Uint8Array, limits: ParserLimits) => Promise<ParsedDocument>
}

/** The parser of each kind in the core's table of document types. Those of binary formats are large and loaded where needed. */
export const PARSERS: Readonly<Record<ParserKind, Parser>> = {
  pdf: {
    load: async () => (await import("./parsePdf.ts")).loadPdfReader(),
    parse: async (bytes, limits) => (await import("./parsePdf.ts")).parsePdf(bytes, limits)
  },
  docx: {
    load: async () => (await import("./parseDocx.ts")).loadDocxReader(),
    parse: async (bytes, limits) => {
      return { text: await (await import("./parseDocx.ts")).parseDocx(bytes, limits), pageStarts: null }
    }
  },
  text: {
    load: () => Promise.resolve(),
    parse: (bytes) => Promise.resolve({ text: parseText(bytes), pageStarts: null })
  }
}
