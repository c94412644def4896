import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentStore } from "../storing/DocumentStore.ts"
import type { ConversationOfFile, Document } from "../Document.ts"
import { DocumentForbidden, DocumentNotFound } from "../errors.ts"

/**
 * Returns the reason why a person cannot read a document that is not among their own: it belongs to another person, or
 * does not exist.
 */
export const notReadable = Effect.fnUntraced(function* (documents: DocumentStore["Service"], documentId: string) {
  if (yield* documents.exists(documentId)) return yield* new DocumentForbidden({ documentId })
  return yield* new DocumentNotFound({ documentId })
})

/** Returns ids in their stored form, without duplicates. */
export const uniqueIds = (documentIds: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(documentIds.map((id) => id.toLowerCase()))
]

/** A visitor's conversation, and the ids attached to it; ids that are not files of this conversation are ignored. */
export interface InConversation {
  readonly conversation: ConversationOfFile
  readonly attached: ReadonlyArray<string>
}

const isOf = ({ conversation }: Document, { bot, id, visitor }: ConversationOfFile): boolean =>
  conversation?.id === id && conversation.bot === bot && conversation.visitor === visitor

/**
 * Splits the documents that a person names, and those attached to the conversation `within`, into those that can be
 * searched and those that are not ready. Fails with `DocumentNotFound` or `DocumentForbidden` at the first document
 * that the person does not have; a document in `known`, which the person had before, may have been deleted and is left
 * out. A file of a conversation cannot be named.
 */
export const findReadableDocuments = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  userId: UserId,
  documentIds: ReadonlyArray<string>,
  known: ReadonlyArray<string> = [],
  within?: InConversation
) {
  const ids = uniqueIds(documentIds)
  const all = uniqueIds([...ids, ...(within?.attached ?? [])])
  if (all.length === 0) return { ready: [], pending: [] }
  const found = new Map<string, Document>()
  for (const document of yield* documents.find(userId, all)) found.set(document.id, document)
  const readable: Array<Document> = []
  for (const documentId of ids) {
    const document = found.get(documentId)
    if (document?.conversation !== undefined) return yield* new DocumentNotFound({ documentId })
    if (document !== undefined) readable.push(document)
    else if (!known.includes(documentId) || (yield* documents.exists(documentId))) {
      return yield* notReadable(documents, documentId)
    }
  }
  if (within !== undefined) {
    for (const document of found.values()) if (isOf(document, within.conversation)) readable.push(document)
  }
  const ready = readable.filter(({ status }) => status === "ready")
  const pending = readable.flatMap(({ id, status }) => (status === "ready" ? [] : [id]))
  return { ready, pending }
})
