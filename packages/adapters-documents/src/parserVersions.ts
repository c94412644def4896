import type { ParserKind } from "@parley/core/adapter"

/**
 * How each kind is read. To be raised with every change after which a parser gives another text, pages or headings for some
 * document: documents that were read before are then read again when they are re-indexed, and `parley doctor` counts them.
 */
const VERSIONS: Readonly<Record<ParserKind, number>> = {
  pdf: 1,
  docx: 1,
  xlsx: 1,
  pptx: 1,
  html: 2,
  csv: 2,
  markdown: 2,
  text: 2
}

/** The version of how documents of a kind are read, as it is kept with their texts. */
export const parserVersion = (kind: ParserKind): string => `${kind}/${VERSIONS[kind]}`
