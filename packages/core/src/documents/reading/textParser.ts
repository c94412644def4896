import { Effect } from "effect"
import { DocumentParser, DocumentUnreadable } from "./DocumentParser.ts"
import { DOCUMENT_TYPE_TABLE } from "../documentTypes.ts"

/**
 * Reads what is text as it stands, and nothing else: for tests, and where no other parser is set up. Markup stays in it,
 * and a file of another kind is refused with a sentence for its owner.
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
