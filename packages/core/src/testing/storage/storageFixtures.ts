import type { BeginTurnInput } from "../../chat/ChatStore.ts"
import type { Document } from "../../documents/Document.ts"
import type { DocumentQuota } from "../../documents/DocumentStore.ts"
import type { UserId } from "../../identity/UserId.ts"

/** Somebody nobody has seen before. */
export const newUserId = (): UserId => `user-${crypto.randomUUID()}`

/** A document just uploaded; `changes` replace any part. */
export const newDocument = (userId: UserId, changes: Partial<Document> = {}): Document => ({
  id: crypto.randomUUID(),
  userId,
  filename: "report.pdf",
  type: "pdf",
  bytes: 1000,
  status: "processing",
  progress: 0,
  reason: undefined,
  pages: undefined,
  passages: undefined,
  createdAt: 1_767_225_600_000,
  ...changes
})

/** A quota nobody reaches. */
export const ampleQuota: DocumentQuota = { maxDocuments: 1000, maxDocumentBytes: 1_000_000_000 }

/** A turn of one question in a new chat; `changes` replace any part. */
export const newTurn = (userId: UserId, changes: Partial<BeginTurnInput> = {}): BeginTurnInput => ({
  userId,
  chatId: crypto.randomUUID(),
  continues: false,
  title: "What does the report say?",
  messages: [{ role: "user", content: "What does the report say?" }],
  reply: { id: crypto.randomUUID(), model: "model-a-mini", sources: [] },
  ...changes
})
