import { ChatService } from "@parley/core/effect"
import { Effect } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { empty, streamed } from "../../exchange/Exchange.ts"
import { chatPath } from "./chats.ts"
import { optionalUuidParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { asksForUiStream, EVENT_STREAM, UI_STREAM, uiStreamParameter } from "../parameters.ts"
import { uiMessageStream } from "./uiMessageStream.ts"

const PATH = "/api/chats/{id}/stream"
/** The number of newest messages of a branch in which a running reply is looked up. */
const NEWEST = 20

/** Joins a running reply from its beginning. */
export const getRunningReply = defineRoute({
  method: "GET",
  path: PATH,
  summary: "Joins the running reply of a chat's last request, from its beginning, on any server",
  access: sessionAccess,
  pathParameters: chatPath,
  headerParameters: { [UI_STREAM]: uiStreamParameter },
  queryParameters: {
    messageId: optionalUuidParameter("The id of the reply to join; the one begun last unless given.")
  },
  responses: {
    200: {
      description:
        "The reply from its first word on, as it is written. A disconnect ends nothing. A connection that breaks instead of ending means an incomplete reply.",
      contentType: ["text/plain", EVENT_STREAM],
      headers: {
        "x-chat-id": "The chat.",
        "x-message-id": "The reply's id within the chat.",
        "x-model": "The model that answers."
      }
    },
    204: { description: "No reply is running." }
  },
  errors: [
    "chat_not_found",
    "model_failed",
    "model_misconfigured",
    "provider_rate_limited",
    "provider_unavailable",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ caller: { userId }, context, headers, path, query }) {
    const chats = yield* ChatService
    const reply = yield* chats.join(userId, path.id, query.messageId)
    if (reply === undefined) return empty()
    const head = {
      "content-type": "text/plain; charset=utf-8",
      "x-accel-buffering": "no",
      "x-chat-id": reply.chatId,
      "x-message-id": reply.messageId,
      "x-model": reply.model
    }
    if (!asksForUiStream(context.request, headers[UI_STREAM])) return streamed(reply.text, head)
    const branch = chats.get(userId, path.id, { limit: NEWEST, leaf: reply.messageId })
    // A chat whose first turn is not stored yet is not found.
    const { messages } = yield* Effect.catchTag(branch, "ChatNotFound", () => Effect.succeed({ messages: [] }))
    const { sources = [], unread = [] } = messages.find(({ id }) => id === reply.messageId) ?? {}
    const joined = { ...reply, sources, unreadDocuments: unread }
    return yield* uiMessageStream(joined, { userId, requestId: context.request.id }, head)
  })
})

/** Stops a running reply. */
export const deleteRunningReply = defineRoute({
  method: "DELETE",
  path: PATH,
  summary: "Ends the replies of a chat that continue without their reader, and their cost",
  access: sessionAccess,
  pathParameters: chatPath,
  responses: {
    204: { description: "No reply is running. The text of ended replies is stored with the chat, and charged." }
  },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const chats = yield* ChatService
    yield* chats.stop(caller.userId, path.id)
    return empty()
  })
})
