import type { ParserKind } from "@parley/core/adapter"
import type { ScanPage } from "./pdf/parsePdf.ts"
import { PARSERS } from "./parsers.ts"

/** Loads all that reading documents of a kind takes. A process loads the one kind it needs; all of them read text. */
export const loadParser = (kind: ParserKind): Promise<void> => PARSERS[kind].load()

/** The pictures of a page of a scan; of pdfs only. */
export const readScanPage = async (bytes: Uint8Array, page: number): Promise<ScanPage> =>
  (await import("./pdf/parsePdf.ts")).readScanPage(bytes, page)

export { parseDocument } from "./parseDocument.ts"
