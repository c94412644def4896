import {
  ConversationService,
  type OwnedConversation,
  type OwnedMessage,
  type ReadConversation
} from "@parley/core/effect"
import { CONVERSATION_STATES, DOCUMENT_STATUSES, HANDOVER_STATES, PAGE_MESSAGES } from "@parley/core/adapter"
import { Effect, Schema, Stream } from "effect"
import { freshSessionAccess } from "../../access/freshSignIn.ts"
import { sessionAccess } from "../../access/personAccess.ts"
import { type Response, streamed, empty, json } from "../../exchange/Exchange.ts"
import { csvLine } from "./csv.ts"
import { botPath } from "./bots.ts"
import { messageFields, sourceFields } from "../chats/chats.ts"
import {
  choiceParameter,
  conversationCursorParameter,
  cursorText,
  integerParameter,
  optionalUuidParameter,
  searchParameter,
  uuidParameter
} from "../parameters.ts"
import type { Server } from "../../server/Server.ts"
import { choice, listOf, moment, named, orNull, text, uuid, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const conversationFields = {
  id: uuid("The conversation's id."),
  visitor: Schema.String.annotate({ description: "The same for all conversations of one visitor with the bot." }),
  firstQuestion: Schema.String.annotate({ description: "The beginning of the visitor's first message." }),
  messageCount: whole("The number of messages."),
  credits: Schema.Int.annotate({ description: "The cost of its replies together." }),
  state: choice(
    CONVERSATION_STATES,
    "`waiting` for a person, `open` while a person has it, `solved` when the person is done; `bot` if no person was asked for."
  ),
  email: orNull(Schema.String, "The visitor's address, if the visitor gave one to the person; it is not proven."),
  page: orNull(Schema.String, "The page on which the visitor asked for a person, as the visitor's browser named it."),
  assignee: orNull(Schema.String, "The id of the person who has it."),
  askedAt: orNull(moment("The moment."), "When the visitor asked for a person."),
  createdAt: moment("When the conversation began."),
  updatedAt: moment("When the last message was stored.")
}

const SourceBody = named("ConversationSource", "A passage of a document that a bot's reply was given.", sourceFields)

export const MessageBody = named("ConversationMessage", "A message of a visitor or a bot.", {
  ...messageFields,
  model: orNull(Schema.String, "The model that wrote it; null for the messages of people, and for declines."),
  author: orNull(
    Schema.String,
    "The name, which may be empty, of the person who wrote it in the place of the bot; null for all other messages."
  ),
  credits: orNull(Schema.Int, "The cost of the reply, once it is charged."),
  sources: listOf(SourceBody, "The passages that the reply may cite.")
})

const ListBody = named("ConversationList", "A page of conversations.", {
  conversations: listOf(
    named("Conversation", "A conversation of a visitor with a bot, without its messages.", conversationFields),
    "The conversations, last used first."
  ),
  limit: whole("The most elements of a page, as requested."),
  nextBefore: Schema.NullOr(Schema.String).annotate({
    description:
      "Pass this as `before` for the next page; null on the last page. A page of a search may be short, or empty, without being the last."
  })
})

const ConversationBody = named("ConversationWithMessages", "A conversation with a page of its messages.", {
  ...conversationFields,
  messages: listOf(MessageBody, "The messages, oldest first."),
  files: listOf(
    named(
      "ConversationFile",
      "A file that the visitor attached: a document of yours that only this conversation reads.",
      {
        id: uuid("The document's id: `GET /api/documents/{id}/file` returns the file."),
        filename: text("The name of the file."),
        bytes: whole("The size of the file."),
        status: choice(DOCUMENT_STATUSES, "`processing`, `ready`, or `failed` if it could not be read."),
        createdAt: moment("When it was attached.")
      }
    ),
    "The files that the visitor attached, oldest first."
  ),
  limit: whole("The most messages of a page, as requested."),
  nextBefore: Schema.NullOr(Schema.String).annotate({
    description: "Send this as `before` to get the messages before these; null if these are the first."
  })
})

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

const conversationRow = (conversation: OwnedConversation) => ({
  id: conversation.id,
  visitor: conversation.visitor,
  firstQuestion: conversation.title,
  messageCount: conversation.messageCount,
  credits: conversation.credits,
  state: conversation.handover?.state ?? ("bot" as const),
  email: conversation.handover?.email ?? null,
  page: conversation.handover?.page ?? null,
  assignee: conversation.handover?.assignee ?? null,
  askedAt: conversation.handover === undefined ? null : iso(conversation.handover.askedAt),
  createdAt: iso(conversation.createdAt),
  updatedAt: iso(conversation.updatedAt)
})

export const messageRow = (message: OwnedMessage): typeof MessageBody.Type => ({
  id: message.id,
  role: message.role,
  content: message.content,
  state: message.state,
  model: message.model ?? null,
  author: message.author ?? null,
  credits: message.credits ?? null,
  sources: message.sources.map(({ headings: _headings, ...source }) => source),
  createdAt: iso(message.createdAt)
})

/** The conversations of a bot's visitors. */
export const listConversations = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/conversations",
  summary: "Lists the conversations of visitors with your bot, last used first, all or those that contain a text",
  access: sessionAccess,
  pathParameters: botPath,
  queryParameters: {
    limit: integerParameter({
      description: "The most elements in the response.",
      minimum: 1,
      maximum: 100,
      default: 50
    }),
    before: conversationCursorParameter,
    search: searchParameter,
    state: choiceParameter(HANDOVER_STATES, "Only conversations in this state.")
  },
  responses: { 200: { description: "The conversations.", schema: ListBody } },
  errors: ["bot_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, context, path, query }) {
    const service = yield* ConversationService
    // A search reads much, so only a few run at a time, in a fair order of people.
    const { largeWork }: Server = context.server
    if (query.search) yield* largeWork.read.enter(`user ${caller.userId}`)
    const { conversations, next } = yield* service.find(caller.userId, path.id, query)
    const nextBefore = next === undefined ? null : cursorText(next)
    const body: typeof ListBody.Type = {
      conversations: conversations.map(conversationRow),
      limit: query.limit,
      nextBefore
    }
    return json(200, body)
  })
})

export const conversationPath = { ...botPath, conversationId: uuidParameter("The conversation's id.") }

/** One conversation with its messages. */
export const getConversation = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/conversations/{conversationId}",
  summary: "Returns a conversation with its newest messages, their sources and costs, a page at a time",
  access: sessionAccess,
  largeWork: "read",
  pathParameters: conversationPath,
  queryParameters: {
    limit: integerParameter({
      description: "The most messages in the response, which has fewer if they are long.",
      minimum: 1,
      maximum: 500,
      default: PAGE_MESSAGES
    }),
    before: optionalUuidParameter("The id of a message: only messages before it are returned.")
  },
  responses: { 200: { description: "The conversation.", schema: ConversationBody } },
  errors: ["bot_not_found", "conversation_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, query }) {
    const service = yield* ConversationService
    const found = yield* service.get(caller.userId, path.id, path.conversationId, query)
    const body: typeof ConversationBody.Type = {
      ...conversationRow(found),
      messages: found.messages.map(messageRow),
      files: found.files.map(({ bytes, createdAt, filename, id, status }) => ({
        ...{ id, filename, bytes, status },
        createdAt: iso(createdAt)
      })),
      limit: query.limit,
      nextBefore: found.hasEarlier ? (found.messages[0]?.id ?? null) : null
    }
    return json(200, body)
  })
})

/** Deletes a conversation. */
export const deleteConversation = defineRoute({
  method: "DELETE",
  path: "/api/bots/{id}/conversations/{conversationId}",
  summary: "Deletes a conversation of a visitor with your bot",
  access: sessionAccess,
  pathParameters: conversationPath,
  responses: { 204: { description: "It is deleted." } },
  errors: ["bot_not_found", "conversation_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* ConversationService
    yield* service.remove(caller.userId, path.id, path.conversationId)
    return empty()
  })
})

const utf8 = new TextEncoder()

/** A response that browsers save as a file, written while the conversations are read. */
const download = <E extends { readonly code: string; readonly message: string }>(
  pieces: Stream.Stream<string, E>,
  contentType: string,
  filename: string
): Response =>
  streamed(
    Stream.map(pieces, (piece) => utf8.encode(piece)),
    { "content-type": contentType, "content-disposition": `attachment; filename="${filename}"` }
  )

const jsonLine = (conversation: ReadConversation): string =>
  `${JSON.stringify({ ...conversationRow(conversation), messages: conversation.messages.map(messageRow) })}\n`

/** Exports all conversations, one on each line of JSON. */
export const exportConversationLines = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/conversations.jsonl",
  summary: "Returns all conversations of your bot with their messages, each as a line of JSON",
  access: freshSessionAccess,
  largeWork: "read",
  pathParameters: botPath,
  responses: { 200: { description: "A line of JSON for each conversation.", contentType: "application/jsonl" } },
  errors: ["bot_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* ConversationService
    const found = yield* service.exported(caller.userId, path.id)
    return download(Stream.map(found, jsonLine), "application/jsonl; charset=utf-8", "conversations.jsonl")
  })
})

const TITLES = [
  "conversation",
  "visitor",
  "message",
  "createdAt",
  "role",
  "content",
  "state",
  "model",
  "author",
  "credits",
  "sources"
]
/** Spreadsheet programs recognise UTF-8 by this mark. */
const BYTE_ORDER_MARK = "\uFEFF"

const tableLines = ({ id, messages, visitor }: ReadConversation): string =>
  messages
    .map((message) =>
      csvLine([
        id,
        visitor,
        message.id,
        iso(message.createdAt),
        message.role,
        message.content,
        message.state,
        message.model ?? null,
        message.author ?? null,
        message.credits ?? null,
        message.sources
          .map(({ filename, number, page }) => `[${number}] ${filename}${page === null ? "" : `, page ${page}`}`)
          .join("; ")
      ])
    )
    .join("")

/** Exports all messages as a table, one in each row. */
export const exportConversationTable = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/conversations.csv",
  summary: "Returns all messages of your bot's conversations, each as a row of a table",
  access: freshSessionAccess,
  largeWork: "read",
  pathParameters: botPath,
  responses: { 200: { description: "A table with a row of titles (RFC 4180).", contentType: "text/csv" } },
  errors: ["bot_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* ConversationService
    const found = yield* service.exported(caller.userId, path.id)
    const titles = Stream.succeed(`${BYTE_ORDER_MARK}${csvLine(TITLES)}`)
    const rows = Stream.concat(titles, Stream.map(found, tableLines))
    return download(rows, "text/csv; charset=utf-8", "conversations.csv")
  })
})
