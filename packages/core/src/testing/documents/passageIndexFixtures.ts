import { Effect } from "effect"
import type { Document, Passage } from "../../documents/Document.ts"
import { DocumentStore } from "../../documents/DocumentStore.ts"
import { PassageIndex, type SearchInput } from "../../documents/PassageIndex.ts"
import type { UserId } from "../../identity/UserId.ts"
import { ampleQuota, newDocument } from "../storage/storageFixtures.ts"

/** An index and the documents it is over. */
export type PassageStores = PassageIndex | DocumentStore

/** Passages of these texts, one after another with a space between, as of a document without pages. */
export const passagesOf = (...texts: ReadonlyArray<string>): ReadonlyArray<Passage> => {
  let start = 0
  return texts.map((text, ordinal) => {
    const passage = { ordinal, page: null, start, end: start + text.length, text }
    start += text.length + 1
    return passage
  })
}

/** A document of `userId` whose passages are these texts. */
export const indexed = Effect.fnUntraced(function* (
  userId: UserId,
  texts: ReadonlyArray<string>,
  changes?: Partial<Document>
) {
  const document = newDocument(userId, { status: "ready", ...changes })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* (yield* PassageIndex).replace({ userId, documentId: document.id, passages: passagesOf(...texts) })
  return document.id
})

/** A search for ten passages unless told otherwise. */
export const search = Effect.fnUntraced(function* (input: Omit<SearchInput, "limit"> & { readonly limit?: number }) {
  return yield* (yield* PassageIndex).search({ limit: 10, ...input })
})

/** The texts a search finds, best first. */
export const textsOf = (input: Parameters<typeof search>[0]) =>
  Effect.map(search(input), (found) => found.map(({ text }) => text))
