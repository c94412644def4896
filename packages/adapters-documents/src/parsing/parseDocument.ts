import type { DocumentType, ParsedDocument } from "@parley/core"
import type { ParserLimits } from "../ParserLimits.ts"
import { parseText } from "./parseText.ts"
import { Unreadable } from "./Unreadable.ts"

/** Reads a document's text. Throws `Unreadable` with the reason where it has none that can be read. */
export const parseDocument = async (
  type: DocumentType,
  bytes: Uint8Array,
  limits: ParserLimits
): Promise<ParsedDocument> => {
  const parsed = await parseAs(type, bytes, limits)
  if (parsed.text.length > limits.maxTextLength) {
    throw new Unreadable(
      `The document holds more than the ${limits.maxTextLength} characters of text that can be read. Split it.`
    )
  }
  if (parsed.text.trim() === "") throw new Unreadable("The document holds no text. Upload one that does.")
  return parsed
}

/** Parsers of binary formats are large: each is loaded where it is needed, by `loadParser` before the first document. */
const parseAs = async (type: DocumentType, bytes: Uint8Array, limits: ParserLimits): Promise<ParsedDocument> => {
  switch (type) {
    case "pdf":
      return (await import("./parsePdf.ts")).parsePdf(bytes, limits)
    case "docx":
      return { text: await (await import("./parseDocx.ts")).parseDocx(bytes, limits), pageStarts: null }
    case "md":
    case "txt":
      return { text: parseText(bytes), pageStarts: null }
    default:
      throw new Unreadable(`Documents of the type ${type} cannot be read yet. Upload a pdf, docx, md or txt.`)
  }
}
