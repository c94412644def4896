import { ChatNotFound, ChatService, Uuid } from "@parley/core/effect"
import { type ChatShare, ROLES } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { publicAccess } from "../../access/openAccess.ts"
import { sessionAccess } from "../../access/personAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { empty, json } from "../../exchange/Exchange.ts"
import { choice, listOf, moment, named, orNull, text, uuid, whole } from "../fields.ts"
import { requiredTextParameter, uuidParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { chatPath, RatingBody } from "./chats.ts"
import { iso, ShareBody, shareRow } from "./shareRow.ts"

const ShareChoice = named("ShareChoice", "The branch of a chat to share.", {
  leaf: Schema.optionalKey(Uuid).annotate({
    description: "The id of a message: the branch with this message is shared; the newest one unless given."
  })
})

/** Shares a chat by a link. */
export const putShare = defineRoute({
  method: "PUT",
  path: "/api/chats/{id}/share",
  summary: "Lets anyone with the link read a branch of a chat, up to its last message",
  details:
    "Later messages are not shared until you share the chat again, which keeps the link. The texts of documents that replies quote are not shared, only their names, and images are not either. The share of a person who is blocked leads nowhere meanwhile.",
  access: sessionAccess,
  pathParameters: chatPath,
  body: jsonBody(ShareChoice, "The branch."),
  responses: { 200: { description: "The share.", schema: ShareBody } },
  errors: ["invalid_chat_change", "chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path, body }) {
    const chats = yield* ChatService
    const share: ChatShare = yield* chats.share(caller.userId, path.id, body.leaf)
    return json(200, shareRow(share))
  })
})

/** Withdraws the link of a shared chat. */
export const deleteShare = defineRoute({
  method: "DELETE",
  path: "/api/chats/{id}/share",
  summary: "Ends the share of a chat: its link leads nowhere from now on",
  access: sessionAccess,
  pathParameters: chatPath,
  responses: { 204: { description: "It is not shared." } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const chats = yield* ChatService
    yield* chats.unshare(caller.userId, path.id)
    return empty()
  })
})

const SharedSource = named("SharedSource", "A document that a shared reply cites.", {
  number: whole("The number by which the reply cites it: `[1]`."),
  filename: text("The document's name."),
  page: orNull(Schema.Int, "The page on which the passage begins; null for a document without pages.")
})

const SharedMessage = named("SharedMessage", "A message of a shared chat.", {
  id: uuid("The message's id."),
  role: choice(ROLES, "The author of the message."),
  content: text("The text of the message."),
  sources: listOf(SharedSource, "The passages that the reply may cite, without their texts."),
  createdAt: moment("When the message was stored.")
})

const SharedChatBody = named("SharedChat", "A shared branch of a chat.", {
  title: text("The title of the chat."),
  sharedAt: moment("When it was shared last."),
  messages: listOf(SharedMessage, "The messages, oldest first: the newest 500.")
})

/** Returns a shared chat to anyone who has its link. */
export const getSharedChat = defineRoute({
  method: "GET",
  path: "/api/shared/{share}",
  summary: "Returns a shared chat",
  access: publicAccess,
  largeWork: "read",
  pathParameters: { share: requiredTextParameter("The id of the share.") },
  responses: { 200: { description: "The shared chat.", schema: SharedChatBody } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path }) {
    const chats = yield* ChatService
    const found = yield* chats.shared(path.share)
    if (found === undefined) return yield* new ChatNotFound({ chatId: path.share })
    const body: typeof SharedChatBody.Type = {
      title: found.title,
      sharedAt: iso(found.share.sharedAt),
      messages: found.messages.map(({ content, createdAt, id, role, sources }) => ({
        ...{ id, role, content },
        sources: sources.map(({ filename, number, page }) => ({ number, filename, page })),
        createdAt: iso(createdAt)
      }))
    }
    return json(200, body, { "x-robots-tag": "noindex" })
  })
})

const replyPath = { ...chatPath, message: uuidParameter("The reply's id.") }

/** Rates a reply. */
export const putRating = defineRoute({
  method: "PUT",
  path: "/api/chats/{id}/messages/{message}/rating",
  summary: "Stores your rating of a reply, in place of an earlier one",
  access: sessionAccess,
  pathParameters: replyPath,
  body: jsonBody(RatingBody, "The rating, and a comment of at most 2,000 characters."),
  responses: { 204: { description: "It is stored." } },
  errors: ["invalid_chat_change", "chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller, path }) {
    const chats = yield* ChatService
    yield* chats.rate(caller.userId, path.id, path.message, body)
    return empty()
  })
})

/** Removes the rating of a reply. */
export const deleteRating = defineRoute({
  method: "DELETE",
  path: "/api/chats/{id}/messages/{message}/rating",
  summary: "Takes your rating of a reply back",
  access: sessionAccess,
  pathParameters: replyPath,
  responses: { 204: { description: "The reply has no rating." } },
  errors: ["chat_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const chats = yield* ChatService
    yield* Effect.catchTag(chats.rate(caller.userId, path.id, path.message, undefined), "InvalidChatChange", Effect.die)
    return empty()
  })
})
