import type { Chat, StoredMessage } from "@parley/core"
import {
  ChatService,
  CreditService,
  MAX_DOCUMENTS,
  ProjectService,
  type ReplyCost,
  ReplyRating,
  Uuid
} from "@parley/core/effect"
import { type ListedChat, PAGE_MESSAGES, ROLES } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { empty, json } from "../../exchange/Exchange.ts"
import { InvalidRequest } from "../../problems/errors.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import {
  integerParameter,
  optionalUuidParameter,
  pageParameters,
  searchParameter,
  uuidParameter
} from "../parameters.ts"
import type { Server } from "../../server/Server.ts"
import { choice, listOf, moment, named, orNull, pageFields, text, uuid, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { iso, ShareBody, shareRow } from "./shareRow.ts"
import { replyReceiptRow, ReplyReceiptRow } from "../billing/transactionRow.ts"

const chatFields = {
  id: uuid("The chat's id."),
  title: text(
    "The title: the owner's, the one that a model wrote after the first reply, or the first sentence of the question."
  ),
  projectId: orNull(Schema.String, "The project of the chat; null if it is in none."),
  createdAt: moment("When the chat began."),
  updatedAt: moment("When the chat was last used.")
}

/** The fields of a source with its passage, in chats and in the conversations of bots. */
export const sourceFields = {
  number: whole("The number by which the reply cites it: `[1]`."),
  documentId: uuid("The document."),
  filename: text("The document's name."),
  page: orNull(Schema.Int, "The page on which the passage begins; null for a document without pages."),
  start: whole("Beginning of the passage in the document's text, in UTF-16 units."),
  end: whole("End of the passage, in UTF-16 units."),
  text: text("The passage.")
}

const HeadingBody = named("Heading", "A heading of a document.", {
  level: whole("The level of the heading; 1 is the highest."),
  title: text("The text of the heading."),
  start: whole("Beginning of the heading in the document's text, in UTF-16 units.")
})

const SourceBody = named("Source", "A passage of a document that a reply was given.", {
  ...sourceFields,
  headings: listOf(
    HeadingBody,
    "Those above the passage's start, then those that begin in it; with offsets like `start`."
  )
})

export const MESSAGE_STATES = ["complete", "streaming", "stopped", "failed"] as const

/** The fields of a message in chats and in the conversations of bots. */
export const messageFields = {
  id: uuid("The message's id."),
  role: choice(ROLES, "The author of the message."),
  content: text("The text of the message; of a reply, as far as it is written."),
  state: choice(
    MESSAGE_STATES,
    "`streaming`: the reply is being written; `stopped`: it was ended before its end; `failed`: the model failed."
  ),
  createdAt: moment("When the message was stored.")
}

/** A rating in the form of requests and responses. */
export const RatingBody = ReplyRating.annotate({ identifier: "ReplyRating", description: "The rating of a reply." })

const MessageBody = named("Message", "A message of a chat.", {
  ...messageFields,
  parentId: orNull(Schema.String, "The message that it follows; null if it begins the chat."),
  versions: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description:
      "Ids of all messages that follow the same one, itself included, oldest first; absent if it is the only one."
  }),
  model: orNull(Schema.String, "The model that wrote the reply; null for messages of people."),
  rating: orNull(RatingBody, "Your rating of the reply; null without one."),
  credits: Schema.NullOr(Schema.Int).annotate({
    description: "The cost of the reply, once it is charged."
  }),
  receipt: orNull(ReplyReceiptRow, "The receipt of the reply, once it is charged."),
  imageIds: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "Ids of the images of the message: GET /api/images/{id} returns them; absent if it has none."
  }),
  sources: listOf(SourceBody, "The passages that the reply may cite."),
  unread: Schema.Array(Schema.String).annotate({
    description: "Ids of documents that the question named and that were ready, and of which the model read nothing."
  })
})

const ChatRow = named("Chat", "A chat without its messages.", chatFields)

const FoundWordsBody = named("FoundWords", "The place where a search found its text in a message.", {
  messageId: uuid("The message; as `leaf`, it returns the chat on a branch with this message."),
  excerpt: text("A piece of the message in one line: the found text and some words around it."),
  start: whole("Beginning of the found text in the excerpt, in UTF-16 units."),
  end: whole("End of the found text in the excerpt, in UTF-16 units.")
})

const ListedChatBody = named("ListedChat", "A chat of a list.", {
  ...chatFields,
  found: Schema.optionalKey(FoundWordsBody).annotate({
    description:
      "The newest message of any branch with the searched text; absent without a search, and if only the title has the text."
  })
})

const ChatListBody = named("ChatList", "A page of chats.", {
  chats: listOf(ListedChatBody, "The chats, last used first."),
  ...pageFields("chats")
})

const RunningReplyBody = named("RunningReply", "A reply that is being written.", {
  messageId: uuid("The reply's id within the chat."),
  model: text("The model that answers."),
  startedAt: moment("When the reply began.")
})

const ChatBody = named("ChatWithMessages", "A chat with a page of the messages of one of its branches.", {
  ...chatFields,
  documentIds: Schema.Array(Schema.String).annotate({
    description:
      "The documents stored with the chat or, if none ever were, those of its last request. A reply reads the documents of its own request only."
  }),
  running: orNull(
    RunningReplyBody,
    "The running reply at the end of this branch that continues without its reader: GET /api/chats/{id}/stream joins it. Its message is stored with its first words."
  ),
  share: orNull(ShareBody, "The share of the chat; null unless you share it."),
  messages: listOf(MessageBody, "The messages of the branch, oldest first."),
  limit: whole("The most messages of a page, as requested."),
  nextBefore: Schema.NullOr(Schema.String).annotate({
    description: "Send this as `before` to get the messages before these; null if these are the first."
  })
})

const chatRow = (chat: Chat) => ({
  id: chat.id,
  title: chat.title,
  projectId: chat.projectId ?? null,
  createdAt: iso(chat.createdAt),
  updatedAt: iso(chat.updatedAt)
})

const listedRow = (chat: ListedChat): typeof ListedChatBody.Type => ({
  ...chatRow(chat),
  ...(chat.found === undefined ? {} : { found: chat.found })
})

/** A source in the form of the response. */
export const sourceRow = (source: StoredMessage["sources"][number]): typeof SourceBody.Type => ({
  ...source,
  headings: source.headings ?? []
})

const messageRow = (message: StoredMessage, cost: ReplyCost | undefined): typeof MessageBody.Type => ({
  id: message.id,
  parentId: message.parentId,
  ...(message.versions.length === 0 ? {} : { versions: message.versions }),
  role: message.role,
  content: message.content,
  state: message.state,
  model: message.model ?? null,
  rating: message.rating ?? null,
  credits: cost?.credits ?? null,
  receipt: cost === undefined ? null : replyReceiptRow(cost.receipt),
  ...(message.imageIds === undefined ? {} : { imageIds: message.imageIds }),
  sources: message.sources.map(sourceRow),
  unread: message.unread,
  createdAt: iso(message.createdAt)
})

/** The chats of a person: all, or those that contain a text. */
export const listChats = defineRoute({
  method: "GET",
  path: "/api/chats",
  summary: "Lists your chats, last used first",
  details:
    "With `search`, those with the text, in any case, in their title or in a message of any branch. The messages of the last used chats are searched, up to 8 MiB together.",
  access: sessionAccess,
  queryParameters: {
    ...pageParameters,
    search: searchParameter,
    projectId: optionalUuidParameter("Only the chats in this project.")
  },
  responses: { 200: { description: "The chats.", schema: ChatListBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, context, query }) {
    const chat = yield* ChatService
    // A search reads much, so only a few run at a time, in a fair order of people.
    const { largeWork }: Server = context.server
    if (query.search) yield* largeWork.read.enter(`user ${caller.userId}`)
    const { chats, total } = yield* chat.list({ userId: caller.userId, ...query })
    const { limit, offset } = query
    const body: typeof ChatListBody.Type = { chats: chats.map(listedRow), total, limit, offset }
    return json(200, body)
  })
})

export const chatPath = { id: uuidParameter("The chat's id.") }

const messagePage = {
  limit: integerParameter({
    description: "The most messages in the response, which has fewer if they are long.",
    minimum: 1,
    maximum: 500,
    default: PAGE_MESSAGES
  }),
  before: optionalUuidParameter("The id of a message: only the messages before it in its branch are returned."),
  leaf: optionalUuidParameter(
    "The id of a message: the branch with this message is returned, and where it has several ends, the newest of these. The newest branch of all unless given."
  )
}

/** One chat with its messages. */
export const getOneChat = defineRoute({
  method: "GET",
  path: "/api/chats/{id}",
  summary: "Returns a chat with its newest messages and the sources of its replies, a page at a time",
  details:
    "A chat is a tree: a message that was edited, or answered again, has several versions, each with its own followers. The response has one branch of it, a line of messages; `versions` names the messages that can stand in place of one.",
  access: sessionAccess,
  largeWork: "read",
  pathParameters: chatPath,
  queryParameters: messagePage,
  responses: { 200: { description: "The chat.", schema: ChatBody } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, query }) {
    const service = yield* ChatService
    const { chat, documentIds, hasEarlier, messages, running, share } = yield* service.get(
      caller.userId,
      path.id,
      query
    )
    const credits = yield* CreditService
    const replies = messages.filter(({ role, state }) => role === "assistant" && state !== "streaming")
    const costs = yield* credits.replyCosts(
      caller.userId,
      replies.map(({ id }) => id)
    )
    const nextBefore = hasEarlier ? (messages[0]?.id ?? null) : null
    const body: typeof ChatBody.Type = {
      ...chatRow(chat),
      documentIds,
      running: running === undefined ? null : { ...running, startedAt: iso(running.startedAt) },
      share: share === undefined ? null : shareRow(share),
      messages: messages.map((message) => messageRow(message, costs.get(message.id))),
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
  pathParameters: chatPath,
  responses: { 204: { description: "It is deleted." } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* ChatService
    yield* service.remove(caller.userId, path.id)
    return empty()
  })
})

const ChatChange = named("ChatChange", "The change of a chat: one of the fields.", {
  title: Schema.optionalKey(text("The title: trimmed, 1 to 200 characters.")),
  projectId: Schema.optionalKey(orNull(Uuid, "The project into which the chat moves; null for none."))
})

/** Renames a chat, or moves it into a project. */
export const patchChat = defineRoute({
  method: "PATCH",
  path: "/api/chats/{id}",
  summary: "Renames a chat, or moves it into a project or out of one",
  access: sessionAccess,
  pathParameters: chatPath,
  body: jsonBody(ChatChange, "The title or the project."),
  responses: { 200: { description: "The chat as it is now.", schema: ChatRow } },
  errors: ["invalid_request", "invalid_chat_change", "chat_not_found", "project_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, body: { projectId, title } }) {
    if ((title === undefined) === (projectId === undefined)) {
      const issue = { path: "title", message: "Expected either title or projectId" }
      return yield* new InvalidRequest({ issues: [issue] })
    }
    if (projectId !== undefined) {
      const projects = yield* ProjectService
      return json(200, chatRow(yield* projects.place(caller.userId, path.id, projectId)))
    }
    const chats = yield* ChatService
    return json(200, chatRow(yield* chats.rename(caller.userId, path.id, title ?? "")))
  })
})

const DocumentIds = Schema.Array(Uuid).check(
  Schema.isMaxLength(MAX_DOCUMENTS, { message: `Expected at most ${MAX_DOCUMENTS} documents` })
)
const ChatDocuments = named("ChatDocuments", "The documents of a chat.", {
  documentIds: DocumentIds.annotate({ description: "The ids of the documents." })
})

/** Stores the documents of a chat, in the place of the previous ones. */
export const putChatDocuments = defineRoute({
  method: "PUT",
  path: "/api/chats/{id}/documents",
  summary:
    "Stores documents with a chat, in place of the previous ones; a reply reads the documents of its own request only",
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
