import type { BeginTurnInput } from "../../chat/store/ChatStore.ts"
import type { ConversationOwner, VisitorOwner } from "../../chat/store/StoredChat.ts"
import type { Document } from "../../documents/Document.ts"
import type { DocumentQuota } from "../../documents/storing/DocumentStore.ts"
import type { UserId } from "../../identity/UserId.ts"

/** A new user id. */
export const newUserId = (): UserId => `user-${crypto.randomUUID()}`

/** A new document that has just been uploaded; `changes` replace any part of it. */
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

/** A quota that no test reaches. */
export const ampleQuota: DocumentQuota = { maxDocuments: 1000, maxDocumentBytes: 1_000_000_000 }

/** A new visitor of a new bot. */
export const newVisitor = (botOwner: UserId, bot = `bot-${crypto.randomUUID()}`): VisitorOwner => ({
  visitor: `visitor-${crypto.randomUUID()}`,
  bot,
  botOwner
})

/** A turn with one question in a new chat of a person or of a visitor; `changes` replace any part of it. */
export const newTurn = (owner: UserId | ConversationOwner, changes: Partial<BeginTurnInput> = {}): BeginTurnInput => ({
  owner: typeof owner === "string" ? { person: owner } : owner,
  chatId: crypto.randomUUID(),
  continues: false,
  title: "What does the report say?",
  messages: [{ role: "user", content: "What does the report say?" }],
  reply: { id: crypto.randomUUID(), model: "model-a-mini", sources: [] },
  ...changes
})
