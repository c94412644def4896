import type { DocumentType } from "@parley/core"

/** Parsers of binary formats are large: a process loads the one it needs. All of them read text. */
export type ParserKind = "pdf" | "docx" | "text"

export const parserKindOf = (type: DocumentType): ParserKind => (type === "pdf" || type === "docx" ? type : "text")

/** Loads all that reading documents of a kind takes, so that nothing need be opened afterwards. */
export const loadParser = async (kind: ParserKind): Promise<void> => {
  if (kind === "pdf") await (await import("./parsePdf.ts")).loadPdfReader()
  if (kind === "docx") await (await import("./parseDocx.ts")).loadDocxReader()
}

export { parseDocument } from "./parseDocument.ts"
