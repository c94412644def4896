import type { ParserKind } from "@parley/core/adapter"
import { PARSERS } from "./parsers.ts"

/** Loads all that reading documents of a kind takes. A process loads the one kind it needs; all of them read text. */
export const loadParser = (kind: ParserKind): Promise<void> => PARSERS[kind].load()

export { parseDocument } from "./parseDocument.ts"
