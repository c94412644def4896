import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentStore } from "../storing/DocumentStore.ts"
import type { Document } from "../Document.ts"
import { DocumentForbidden, DocumentNotFound } from "../errors.ts"

/** Why a person cannot have a document that is not among theirs: another person owns it, or it does not exist. */
export const notReadable = Effect.fnUntraced(function* (documents: DocumentStore["Service"], documentId: string) {
  if (yield* documents.exists(documentId)) return yield* new DocumentForbidden({ documentId })
  return yield* new DocumentNotFound({ documentId })
})

/** Ids as they are kept, each once. */
export const uniqueIds = (documentIds: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(documentIds.map((id) => id.toLowerCase()))
]

/**
 * Splits the documents a person names into those that can be searched and those that are not ready. Fails with
 * `DocumentNotFound` or `DocumentForbidden` at the first that the person does not have; one of `known`, which the person
 * had, may be deleted by now and is left out.
 */
export const findReadableDocuments = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  userId: UserId,
  documentIds: ReadonlyArray<string>,
  known: ReadonlyArray<string> = []
) {
  const ids = uniqueIds(documentIds)
  if (ids.length === 0) return { ready: [], pending: [] }
  const found = new Map<string, Document>()
  for (const document of yield* documents.find(userId, ids)) found.set(document.id, document)
  const ready: Array<Document> = []
  const pending: Array<string> = []
  for (const documentId of ids) {
    const document = found.get(documentId)
    if (document === undefined) {
      if (known.includes(documentId) && !(yield* documents.exists(documentId))) continue
      return yield* notReadable(documents, documentId)
    }
    if (document.status === "ready") ready.push(document)
    else pending.push(documentId)
  }
  return { ready, pending }
})
