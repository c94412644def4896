import { ChatService } from "@parley/core/effect"
import type { Reply } from "@parley/core/adapter"
import { Effect } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json, streamed } from "../../exchange/Exchange.ts"
import { chatBody } from "../../body/jsonBody.ts"
import {
  asksForUiStream,
  EVENT_STREAM,
  idempotencyKeyParameter,
  onDisconnectParameter,
  UI_STREAM,
  uiStreamParameter
} from "../parameters.ts"
import { named, text } from "../fields.ts"
import { replyErrors } from "./replyErrors.ts"
import { requestFromUi } from "./uiMessageRequest.ts"
import { uiMessageStream } from "./uiMessageStream.ts"
import { defineRoute } from "../Route.ts"

/** Reports that the chat is available. */
export const getChat = defineRoute({
  method: "GET",
  path: "/api/chat",
  summary: "Reports that the chat API works",
  access: sessionAccess,
  responses: {
    200: {
      description: "It works.",
      schema: named("ChatHealth", "The state of the chat interface.", { message: text("A sentence for people.") })
    }
  },
  errors: [],
  handle: () => Effect.succeed(json(200, { message: "The chat API works." }))
})

/** The largest number of documents that a response header names: clients refuse heads of more than a few kilobytes. */
const MOST_NAMED = 100

const listOf = (ids: ReadonlyArray<string>): string => ids.slice(0, MOST_NAMED).join(",")

const headersOf = (reply: Reply) => ({
  "content-type": "text/plain; charset=utf-8",
  "x-accel-buffering": "no",
  "x-chat-id": reply.chatId,
  "x-message-id": reply.messageId,
  "x-model": reply.model,
  ...(reply.pendingDocuments.length > 0 ? { "x-documents-pending": listOf(reply.pendingDocuments) } : {}),
  ...(reply.unreadDocuments.length > 0 ? { "x-documents-unread": listOf(reply.unreadDocuments) } : {}),
  ...(reply.limitedTo === undefined ? {} : { "x-credits-limited": String(reply.limitedTo) })
})

/** Answers messages with a streamed reply, paid with credits. */
export const postChat = defineRoute({
  method: "POST",
  path: "/api/chat",
  summary: "Sends messages and streams the reply",
  details:
    "A chat is a tree: the messages continue its newest branch, or stand after `parentMessageId`; of requests that continue the same message at once, each begins a branch of its own. The text is streamed as it is written. Credits are held before the model is called, and charged for what was written; the sources, the receipt and the cost are in GET /api/chats/{id} afterwards. The UI message stream of the AI SDK has them as parts, and the balance after the reply; with it the messages may be those of `useChat`, with `parts`.",
  access: sessionAccess,
  headerParameters: {
    "idempotency-key": idempotencyKeyParameter,
    "x-on-disconnect": onDisconnectParameter,
    [UI_STREAM]: uiStreamParameter
  },
  body: chatBody,
  responses: {
    200: {
      description: "The reply as it is written. A connection that breaks instead of ending means an incomplete reply.",
      contentType: ["text/plain", EVENT_STREAM],
      headers: {
        "x-chat-id": "The id of the chat, also of a new one.",
        "x-message-id": "The reply's id within the chat.",
        "x-model": "The model that answers: the requested one, or its fallback if that one failed.",
        "x-documents-pending":
          "Ids, separated by commas, of named documents left out because they are not ready: the first 100.",
        "x-documents-unread":
          "Ids, separated by commas, of named documents of which the model read nothing: the first 100.",
        "x-credits-limited":
          "Present if the balance is too low for the longest reply: the number of output tokens that it pays."
      }
    }
  },
  errors: [
    "unauthorized",
    "invalid_chat_request",
    "document_not_found",
    "document_forbidden",
    "project_not_found",
    ...replyErrors
  ],
  handle: Effect.fnUntraced(function* ({ body, caller, context, headers }) {
    const chat = yield* ChatService
    const { userId } = caller
    const isUi = asksForUiStream(context.request, headers[UI_STREAM])
    const reply = yield* chat.send({
      userId,
      request: isUi ? yield* requestFromUi(body) : body,
      idempotencyKey: headers["idempotency-key"],
      onDisconnect: headers["x-on-disconnect"]
    })
    if (isUi) return yield* uiMessageStream(reply, { userId, requestId: context.request.id }, headersOf(reply))
    return streamed(reply.text, headersOf(reply))
  })
})
