import { Effect } from "effect"
import { DocumentParser, DocumentUnreadable } from "./DocumentParser.ts"
import { DOCUMENT_TYPE_TABLE } from "../documentTypes.ts"

/**
 * Reads text files as they are, and no other type: for tests, and for servers without another parser. Markup stays in
 * the text; a file of another type is refused with a sentence for its owner.
 */
export const textParser: DocumentParser["Service"] = DocumentParser.of({
  parse: ({ bytes, type }) =>
    DOCUMENT_TYPE_TABLE[type].content._tag === "Text"
      ? Effect.succeed({ text: new TextDecoder().decode(bytes), pageStarts: null })
      : Effect.fail(
          new DocumentUnreadable({
            reason: `Files of the type ${type} are not read on this server.`,
            failure: "unreadable"
          })
        )
})
