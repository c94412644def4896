import type { Document } from "@parley/core"
import { DocumentStore, indexDocument, type ParsedDocument, PassageWriter } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Collection, CollectionDocument } from "./collection.ts"

/** A collection in a passage index: for each of its documents the id in the index, and the offset of its text there. */
export interface IndexedCollection {
  readonly userId: string
  readonly idOf: ReadonlyMap<string, string>
  readonly nameOf: ReadonlyMap<string, string>
  readonly shiftOf: ReadonlyMap<string, number>
  readonly passages: number
  readonly characters: number
}

/** Returns a document in the form that a parser returns: its title is the heading of its text. */
const parsedOf = ({ text, title }: CollectionDocument): ParsedDocument =>
  title === undefined
    ? { text, pageStarts: null }
    : { text: `${title}\n\n${text}`, pageStarts: null, headings: [{ level: 1, title, start: 0 }] }

const documentOf = (userId: string, id: string, { id: name, text }: CollectionDocument): Document => ({
  id,
  userId,
  filename: `${name}.md`,
  type: "md",
  bytes: Buffer.byteLength(text),
  status: "ready",
  progress: 1,
  reason: undefined,
  pages: undefined,
  passages: undefined,
  createdAt: 1_767_225_600_000
})

const QUOTA = { maxDocuments: 1_000_000, maxDocumentBytes: Number.MAX_SAFE_INTEGER }

/** Indexes every document for one person, with passages that are cut as in the product. */
export const indexCollection = Effect.fnUntraced(function* (
  { documents }: Collection,
  progress: (done: number) => void
) {
  const store = yield* DocumentStore
  const writer = yield* PassageWriter
  const userId = `bench-${crypto.randomUUID()}`
  const idOf = new Map<string, string>()
  const shiftOf = new Map<string, number>()
  let passages = 0
  let characters = 0
  for (const document of documents) {
    const documentId = crypto.randomUUID()
    idOf.set(document.id, documentId)
    const parsed = parsedOf(document)
    shiftOf.set(document.id, parsed.text.length - document.text.length)
    yield* store.insert(documentOf(userId, documentId, document), QUOTA)
    const onProgress = () => Effect.void
    const generation = yield* indexDocument(writer, {
      document: { userId, documentId },
      parsed,
      last: true,
      onProgress
    })
    yield* writer.activate(generation)
    passages += generation.passages
    characters += parsed.text.length
    progress(idOf.size)
  }
  const nameOf = new Map([...idOf].map(([name, id]) => [id, name]))
  return { userId, idOf, nameOf, shiftOf, passages, characters } satisfies IndexedCollection
})
