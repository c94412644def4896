import type { ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { ParserLimits } from "../ParserLimits.ts"
import { PARSERS } from "./parsers.ts"
import { Unreadable } from "./Unreadable.ts"

/** Reads a document's text. Throws `Unreadable` with the reason where it has none that can be read. */
export const parseDocument = async (
  kind: ParserKind,
  bytes: Uint8Array,
  limits: ParserLimits
): Promise<ParsedDocument> => {
  const parsed = await PARSERS[kind].parse(bytes, limits)
  if (parsed.text.length > limits.maxTextLength) {
    throw new Unreadable(
      "too_long",
      `The document holds more than the ${limits.maxTextLength.toLocaleString("en-US")} characters of text that can be read. Split it.`
    )
  }
  if (parsed.text.trim() === "") throw new Unreadable("no_text", "The document holds no text. Upload one that does.")
  return parsed
}
