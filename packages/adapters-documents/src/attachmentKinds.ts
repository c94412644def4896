import { DOCUMENT_TYPES, documentType, type ParserKind } from "@parley/core/adapter"

/**
 * The kind of the parser of each extension, for attachments of messages: those that have a text of their own, so no
 * pictures. A parser process cannot read the core's table.
 */
export const ATTACHMENT_KINDS: ReadonlyMap<string, ParserKind> = new Map(
  DOCUMENT_TYPES.flatMap((type) => {
    const { extensions, parser } = documentType(type)
    return parser === null || parser === "image" ? [] : extensions.map((extension) => [extension, parser] as const)
  })
)
