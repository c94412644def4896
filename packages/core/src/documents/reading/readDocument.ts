import { Effect } from "effect"
import { countOf } from "../../storage/spokenNumbers.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Document } from "../Document.ts"
import { type DocumentParser, DocumentUnreadable, type ParsedDocument } from "./DocumentParser.ts"
import type { FileStore } from "../storing/FileStore.ts"
import { keptHeadings } from "./Heading.ts"

const NO_TEXT = "No text was found in the document. Upload one that holds some."
const GONE = "The file's content is not here any more. Upload it again."

/** The longest text that is kept and searched, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 32 * 1024 * 1024
const TOO_LONG = `The document holds more text than the ${countOf(MAX_TEXT_LENGTH, "character")} that can be searched. Split it.`

export interface ReadDocument {
  readonly files: FileStore["Service"]
  readonly parser: DocumentParser["Service"]
  readonly document: Pick<Document, "id" | "type" | "userId">
}

type Parsing = Effect.Effect<ParsedDocument, DocumentUnreadable>

/**
 * The text of a document's bytes, as it is kept. `within` gets the bytes and the reading of them, and may refuse it. Fails with
 * a reason for the owner where there are no bytes, or no text that can be searched.
 */
export const readDocument = <E = never, R = never>(
  { document, files, parser }: ReadDocument,
  within: (bytes: Uint8Array, parsing: Parsing) => Effect.Effect<ParsedDocument, E | DocumentUnreadable, R> = (
    _bytes,
    parsing
  ) => parsing
): Effect.Effect<ParsedDocument, E | DocumentUnreadable | StorageFailed, R> =>
  Effect.gen(function* () {
    const { id: documentId, type, userId } = document
    const bytes = yield* files.read({ userId, documentId })
    if (bytes === undefined) return yield* new DocumentUnreadable({ reason: GONE, failure: "incomplete" })
    const parsed = yield* within(bytes, parser.parse({ type, bytes, userId }))
    if (parsed.text.trim() === "") return yield* new DocumentUnreadable({ reason: NO_TEXT, failure: "no_text" })
    if (parsed.text.length > MAX_TEXT_LENGTH) {
      return yield* new DocumentUnreadable({ reason: TOO_LONG, failure: "too_long" })
    }
    return parsed.headings === undefined ? parsed : { ...parsed, headings: keptHeadings(parsed.headings) }
  })
