import { VisitorConversation, VisitorMessage, WidgetService } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { visitorAccess } from "../../access/openAccess.ts"
import { json, streamed } from "../../exchange/Exchange.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { messageFields, sourceFields } from "../chats/chats.ts"
import { requiredTextParameter, textParameter } from "../parameters.ts"
import { choice, flag, listOf, named, text } from "../fields.ts"
import { defineRoute } from "../Route.ts"

/** Time for which a browser may cache a bot's configuration, in seconds. */
const CONFIG_SECONDS = 30

/** The public settings of a bot. */
export const getWidgetConfig = defineRoute({
  method: "GET",
  path: "/api/widget/config/{publicKey}",
  origin: "visitors",
  summary: "Returns the public settings of a bot",
  access: visitorAccess,
  pathParameters: { publicKey: requiredTextParameter("The bot's public key.") },
  queryParameters: {
    lang: textParameter(
      "The language of the first words (BCP 47). Those for all languages without it, or if the bot has none in it."
    )
  },
  responses: {
    200: {
      description: "The bot's name, colour and first words.",
      schema: named("WidgetConfig", "The public settings of a bot.", {
        displayName: text("The bot's name."),
        welcomeMessage: text("The first message that visitors see."),
        primaryColor: text("The colour of the widget, as #rrggbb."),
        suggestedQuestions: listOf(Schema.String, "Questions that the widget offers to begin with."),
        showSources: flag("True if visitors see the passages that a reply cites.")
      })
    }
  },
  errors: ["bot_not_found", "bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path, query }) {
    const widget = yield* WidgetService
    const config = yield* widget.config(path.publicKey, query.lang)
    return json(200, config, { "cache-control": `public, max-age=${CONFIG_SECONDS}` })
  })
})

/** Answers a visitor. */
export const postWidgetChat = defineRoute({
  method: "POST",
  path: "/api/widget/chat",
  origin: "visitors",
  summary: "Sends a visitor's message to a bot and streams the reply, which the bot's owner pays",
  access: visitorAccess,
  body: jsonBody(
    VisitorMessage.annotate({ identifier: "VisitorMessage", description: "A message of a visitor." }),
    "The message of the visitor. Other fields are ignored."
  ),
  responses: {
    200: {
      description:
        "The reply as it is written, or the bot's decline if it cannot answer at the moment. A connection that breaks instead of ending means an incomplete reply.",
      contentType: "text/plain",
      headers: { "x-conversation-id": "The id of the conversation, also of a new one: send it with the next message." }
    }
  },
  errors: [
    "message_too_long",
    "bot_not_found",
    "conversation_not_found",
    "visitor_rate_limited",
    "conversation_rate_limited",
    "bot_rate_limited",
    "too_many_visitor_streams",
    "too_many_bot_streams",
    "bot_busy",
    "bot_resting",
    "visitor_day_used_up",
    "visitor_challenge_required",
    "challenge_unavailable",
    "bot_misconfigured",
    "model_unavailable",
    "model_failed",
    "model_misconfigured",
    "provider_rate_limited",
    "provider_unavailable",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const widget = yield* WidgetService
    const { conversationId, text } = yield* widget.send({ ...body, address: caller.address })
    return streamed(text, {
      "content-type": "text/plain; charset=utf-8",
      "x-accel-buffering": "no",
      "x-conversation-id": conversationId
    })
  })
})

const { filename, number, page, text: passage } = sourceFields

const ShownSourceBody = named("ShownSource", "A passage that visitors see.", { number, filename, page, text: passage })

const TranscriptMessageBody = named("TranscriptMessage", "A message of a visitor's conversation.", {
  role: choice(["user", "assistant"], "The author of the message: the visitor or the bot."),
  content: messageFields.content,
  state: messageFields.state,
  sources: listOf(ShownSourceBody, "The cited passages, if the bot shows them.")
})

const TranscriptBody = named("Transcript", "A conversation as its visitor sees it.", {
  conversationId: text("The conversation's id."),
  messages: listOf(TranscriptMessageBody, "The newest messages, in order.")
})

/** A visitor's own conversation. A POST, so that ids are in no address and no log of addresses. */
export const postWidgetConversation = defineRoute({
  method: "POST",
  path: "/api/widget/conversation",
  origin: "visitors",
  summary: "Returns a visitor's own conversation with a bot, so that a page can continue it after a reload",
  access: visitorAccess,
  body: jsonBody(
    VisitorConversation.annotate({ identifier: "VisitorConversation", description: "The conversation of a visitor." }),
    "Which conversation, with the bot's key and the visitor's id."
  ),
  responses: { 200: { description: "Its newest messages, in order.", schema: TranscriptBody } },
  errors: [
    "visitor_reads_limited",
    "bot_not_found",
    "conversation_not_found",
    "bot_misconfigured",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const widget = yield* WidgetService
    const transcript: typeof TranscriptBody.Type = yield* widget.conversation({ ...body, address: caller.address })
    return json(200, transcript)
  })
})
