import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentStore } from "../storing/DocumentStore.ts"
import type { ConversationOfFile, Document } from "../Document.ts"
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

/** A visitor's conversation, and ids among which are those of its files; the others are left out. */
export interface InConversation {
  readonly conversation: ConversationOfFile
  readonly attached: ReadonlyArray<string>
}

const isOf = ({ conversation }: Document, { bot, id, visitor }: ConversationOfFile): boolean =>
  conversation?.id === id && conversation.bot === bot && conversation.visitor === visitor

/**
 * Splits the documents a person names into those that can be searched and those that are not ready; those attached to
 * the conversation `within` are among them. Fails with `DocumentNotFound` or `DocumentForbidden` at the first that the
 * person does not have; one of `known`, which the person had, may be deleted by now and is left out. A file of a
 * conversation cannot be named.
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
