import { type Chat, ChatService, PAGE_MESSAGES, ROLES, type StoredMessage } from "@parley/core"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../access/sessionAccess.ts"
import { empty, json } from "../answers/Answer.ts"
import { integerParameter, optionalUuidParameter, pageParameters, uuidParameter } from "./parameters.ts"
import { defineRoute } from "./Route.ts"

const chatFields = {
  id: Schema.String,
  title: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
}

const SourceBody = Schema.Struct({
  number: Schema.Int,
  documentId: Schema.String,
  filename: Schema.String,
  page: Schema.NullOr(Schema.Int),
  start: Schema.Int,
  end: Schema.Int,
  text: Schema.String
})

const MessageBody = Schema.Struct({
  id: Schema.String,
  role: Schema.Literals(ROLES),
  content: Schema.String,
  state: Schema.Literals(["complete", "streaming", "stopped", "failed"]),
  model: Schema.NullOr(Schema.String),
  sources: Schema.Array(SourceBody),
  createdAt: Schema.String
})

const ChatListBody = Schema.Struct({
  chats: Schema.Array(Schema.Struct(chatFields)),
  total: Schema.Int,
  limit: Schema.Int,
  offset: Schema.Int
})

const ChatBody = Schema.Struct({
  ...chatFields,
  messages: Schema.Array(MessageBody),
  limit: Schema.Int,
  nextBefore: Schema.NullOr(Schema.String).annotate({
    description: "Give this as `before` for the messages before these; null where these are the first."
  })
})

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

const chatRow = (chat: Chat) => ({
  id: chat.id,
  title: chat.title,
  createdAt: iso(chat.createdAt),
  updatedAt: iso(chat.updatedAt)
})

const messageRow = (message: StoredMessage): typeof MessageBody.Type => ({
  id: message.id,
  role: message.role,
  content: message.content,
  state: message.state,
  model: message.model ?? null,
  sources: message.sources,
  createdAt: iso(message.createdAt)
})

/** A person's chats. */
export const listChats = defineRoute({
  method: "GET",
  path: "/api/chats",
  summary: "Lists your chats, last used first",
  access: sessionAccess,
  queryParameters: pageParameters,
  responses: { 200: { description: "The chats.", schema: ChatListBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, query }) {
    const chat = yield* ChatService
    const { chats, total } = yield* chat.list({ userId: caller.userId, ...query })
    const body: typeof ChatListBody.Type = { chats: chats.map(chatRow), total, ...query }
    return json(200, body)
  })
})

const pathParameters = { id: uuidParameter("The chat's id.") }

const messagePage = {
  limit: integerParameter({
    description: "The most messages to give. Fewer are given where they are long.",
    minimum: 1,
    maximum: 500,
    default: PAGE_MESSAGES
  }),
  before: optionalUuidParameter("The id of a message: only those before it are given.")
}

/** One chat with its messages. */
export const getOneChat = defineRoute({
  method: "GET",
  path: "/api/chats/{id}",
  summary: "Gives a chat with its newest messages and the sources of its replies, a page at a time",
  access: sessionAccess,
  largeWork: "read",
  pathParameters,
  queryParameters: messagePage,
  responses: { 200: { description: "The chat.", schema: ChatBody } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, query }) {
    const service = yield* ChatService
    const { chat, hasEarlier, messages } = yield* service.get(caller.userId, path.id, query)
    const nextBefore = hasEarlier ? (messages[0]?.id ?? null) : null
    const body: typeof ChatBody.Type = {
      ...chatRow(chat),
      messages: messages.map(messageRow),
      limit: query.limit,
      nextBefore
    }
    return json(200, body)
  })
})

/** Deletes a chat. */
export const deleteChat = defineRoute({
  method: "DELETE",
  path: "/api/chats/{id}",
  summary: "Deletes a chat with its messages",
  access: sessionAccess,
  pathParameters,
  responses: { 204: { description: "It is deleted." } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* ChatService
    yield* service.remove(caller.userId, path.id)
    return empty()
  })
})
