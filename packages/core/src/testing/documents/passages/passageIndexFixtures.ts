import { Effect } from "effect"
import type { Document, DocumentKey, Passage } from "../../../documents/Document.ts"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import { PassageIndex, type SearchInput } from "../../../documents/indexing/PassageIndex.ts"
import { PassageWriter } from "../../../documents/indexing/PassageWriter.ts"
import type { UserId } from "../../../identity/UserId.ts"
import { ampleQuota, newDocument } from "../../storage/storageFixtures.ts"

/** An index, with the store of its documents. */
export type PassageStores = PassageIndex | PassageWriter | DocumentStore

/** The methods of both ports for passages. */
export const passagePorts = Effect.map(Effect.all([PassageIndex, PassageWriter]), ([index, writer]) => ({
  ...writer,
  ...index
}))

/** Makes passages with these texts, one after another with a space between them, as in a document without pages. */
export const passagesOf = (...texts: ReadonlyArray<string>): ReadonlyArray<Passage> => {
  let start = 0
  return texts.map((text, ordinal) => {
    const passage = { ordinal, page: null, start, end: start + text.length, text }
    start += text.length + 1
    return passage
  })
}

/** Returns a text that contains these passages at their offsets, and spaces elsewhere. */
export const textWith = (passages: ReadonlyArray<Passage>): string =>
  passages.reduce((text, { start, text: passage }) => text.padEnd(start) + passage, "")

/** The number of passages that are written together. */
const BATCH = 100

/** Begins a generation with these passages under `fingerprint`, a new one unless given. */
export const beginPassages = Effect.fnUntraced(function* (
  document: DocumentKey,
  passages: ReadonlyArray<Passage>,
  fingerprint: string = crypto.randomUUID()
) {
  const parsed = { text: textWith(passages), pageStarts: null }
  return yield* (yield* PassageWriter).begin({ ...document, parsed, fingerprint })
})

/** Indexes a document with these passages: begins a generation, fills it and activates it. */
export const indexPassages = Effect.fnUntraced(function* (document: DocumentKey, passages: ReadonlyArray<Passage>) {
  const writer = yield* PassageWriter
  const generation = yield* beginPassages(document, passages)
  for (let from = 0; from < passages.length; from += BATCH) {
    yield* writer.add(generation, passages.slice(from, from + BATCH))
  }
  yield* writer.activate(generation)
})

/** Makes a document of `userId` whose passages have these texts. */
export const indexed = Effect.fnUntraced(function* (
  userId: UserId,
  texts: ReadonlyArray<string>,
  changes?: Partial<Document>
) {
  const document = newDocument(userId, { status: "ready", ...changes })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* indexPassages({ userId, documentId: document.id }, passagesOf(...texts))
  return document.id
})

/** Searches for ten passages unless another limit is given. */
export const search = Effect.fnUntraced(function* (input: Omit<SearchInput, "limit"> & { readonly limit?: number }) {
  return yield* (yield* PassageIndex).search({ limit: 10, ...input })
})

/** Returns the texts that a search finds, best first. */
export const textsOf = (input: Parameters<typeof search>[0]) =>
  Effect.map(search(input), (found) => found.map(({ text }) => text))
