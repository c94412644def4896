import { ChatService, MAX_DOCUMENTS, Uuid } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../access/sessionAccess.ts"
import { json } from "../answers/Answer.ts"
import { jsonBody } from "../body/jsonBody.ts"
import { chatFields, chatPath, chatRow } from "./chats.ts"
import { defineRoute } from "./Route.ts"

/** Renames a chat. */
export const patchChat = defineRoute({
  method: "PATCH",
  path: "/api/chats/{id}",
  summary: "Renames a chat",
  access: sessionAccess,
  pathParameters: chatPath,
  body: jsonBody(Schema.Struct({ title: Schema.String }), "The title: trimmed, 1 to 200 characters."),
  responses: { 200: { description: "The chat as it is now.", schema: Schema.Struct(chatFields) } },
  errors: ["invalid_chat_change", "chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, body }) {
    const chats = yield* ChatService
    return json(200, chatRow(yield* chats.rename(caller.userId, path.id, body.title)))
  })
})

const DocumentIds = Schema.Array(Uuid).check(
  Schema.isMaxLength(MAX_DOCUMENTS, { message: `Expected at most ${MAX_DOCUMENTS} documents` })
)
const ChatDocuments = Schema.Struct({ documentIds: DocumentIds })

/** Keeps documents with a chat. */
export const putChatDocuments = defineRoute({
  method: "PUT",
  path: "/api/chats/{id}/documents",
  summary: "Keeps documents with a chat, in place of those before; what a reply reads is what its own request names",
  access: sessionAccess,
  pathParameters: chatPath,
  body: jsonBody(ChatDocuments, "The documents, at most 1,000; also some that are still being processed."),
  responses: { 200: { description: "The documents kept.", schema: ChatDocuments } },
  errors: ["invalid_chat_change", "chat_not_found", "document_not_found", "document_forbidden", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, body }) {
    const chats = yield* ChatService
    return json(200, { documentIds: yield* chats.keepDocuments(caller.userId, path.id, body.documentIds) })
  })
})
