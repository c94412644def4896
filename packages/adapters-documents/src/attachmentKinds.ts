import { DOCUMENT_TYPES, documentType, type ParserKind } from "@parley/core/adapter"

/**
 * The kinds of parsers by file extension, for the attachments of messages. Pictures are left out, because they have no
 * text of their own. A parser process receives this table, because it cannot load the core.
 */
export const ATTACHMENT_KINDS: ReadonlyMap<string, ParserKind> = new Map(
  DOCUMENT_TYPES.flatMap((type) => {
    const { extensions, parser } = documentType(type)
    return parser === null || parser === "image" ? [] : extensions.map((extension) => [extension, parser] as const)
  })
)
