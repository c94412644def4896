import {
  BotSettings,
  CONVERSATION_STATES,
  DOCUMENT_FAILURES,
  DOCUMENT_STATUSES,
  HANDOVER_STATES
} from "@parley/core/adapter"
import {
  PersonWish,
  RATINGS,
  VisitorConversation,
  VisitorMessage,
  VisitorRating,
  type WidgetFile,
  WidgetService
} from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { visitorAccess } from "../../access/openAccess.ts"
import { empty, json, streamed } from "../../exchange/Exchange.ts"
import { visitorFileBody } from "../../body/fileBody.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { messageFields, sourceFields } from "../chats/chats.ts"
import { requiredTextParameter, textParameter } from "../parameters.ts"
import { choice, flag, listOf, moment, named, orNull, text, uuid } from "../fields.ts"
import { defineRoute } from "../Route.ts"

/** Time for which a browser may cache a bot's configuration, in seconds. */
const CONFIG_SECONDS = 30

const opensAtField = orNull(moment("The moment."), "When people are back who answer visitors; null if they are there.")
const timeOf = (opensAt: number | undefined) => (opensAt === undefined ? null : new Date(opensAt).toISOString())

const { colorScheme, cornerRadius, font, launcherText, position, welcomeCards } = BotSettings.fields

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
      description: "The bot's name, look and first words.",
      schema: named("WidgetConfig", "The public settings of a bot.", {
        displayName: text("The bot's name."),
        welcomeMessage: text("The first message that visitors see."),
        primaryColor: text("The colour of the widget, as #rrggbb."),
        ...{ position, launcherText, cornerRadius, font, colorScheme },
        suggestedQuestions: listOf(Schema.String, "Questions that the widget offers to begin with."),
        welcomeCards,
        showSources: flag("True if visitors see the passages that a reply cites."),
        visitorUploads: flag("True if visitors can attach files."),
        handOver: flag("True if visitors can ask for a person."),
        personName: orNull(Schema.String, "The name of the people who answer; null if it is not set."),
        opensAt: opensAtField
      })
    }
  },
  errors: ["bot_not_found", "bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path, query }) {
    const widget = yield* WidgetService
    const { opensAt, ...config } = yield* widget.config(path.publicKey, query.lang)
    return json(200, { ...config, opensAt: timeOf(opensAt) }, { "cache-control": `public, max-age=${CONFIG_SECONDS}` })
  })
})

/** Answers a message of a visitor. */
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
        "The reply as it is written, or the bot's decline if it cannot answer at the moment. Empty if the message waits for a person. A connection that breaks instead of ending means an incomplete reply.",
      contentType: "text/plain",
      headers: {
        "x-conversation-id": "The id of the conversation, also of a new one: send it with the next message.",
        "x-message-id": "The id of the reply, if the bot answers: it can be rated by POST /api/widget/rating.",
        "x-answered-by":
          "`bot`; `person` if the message waits for a person, whose answer `POST /api/widget/conversation` returns; `none` if the text is the bot's decline."
      }
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
    const { answeredBy, conversationId, messageId, text } = yield* widget.send({ ...body, address: caller.address })
    return streamed(text, {
      "content-type": "text/plain; charset=utf-8",
      "x-accel-buffering": "no",
      "x-conversation-id": conversationId,
      "x-answered-by": answeredBy,
      ...(messageId === undefined ? {} : { "x-message-id": messageId })
    })
  })
})

const { filename, number, page, text: passage } = sourceFields

const ShownSourceBody = named("ShownSource", "A passage that visitors see.", { number, filename, page, text: passage })

const TranscriptMessageBody = named("TranscriptMessage", "A message of a visitor's conversation.", {
  id: uuid("The message's id."),
  role: choice(["user", "assistant"], "The author of the message: the visitor, or the bot or a person in its place."),
  author: orNull(
    Schema.String,
    "The name of the person who wrote it in the place of the bot, which may be empty; null of all other messages."
  ),
  content: messageFields.content,
  state: messageFields.state,
  ratable: flag("True for replies of the bot that have ended: the visitor may rate them."),
  rating: orNull(Schema.Literals(RATINGS), "The visitor's rating; null without one."),
  sources: listOf(ShownSourceBody, "The cited passages, if the bot shows them.")
})

const VisitorFileBody = named("VisitorFile", "A file that a visitor attached to a conversation.", {
  filename: text("The name of the file."),
  status: choice(
    DOCUMENT_STATUSES,
    "`processing`: the file is being read; `ready`: replies can use it; `failed`: it could not be read."
  ),
  reason: orNull(Schema.Literals(DOCUMENT_FAILURES), "Why it could not be read; null if that is unknown.")
})

const fileRow = ({ filename, reason, status }: WidgetFile): typeof VisitorFileBody.Type => ({
  filename,
  status,
  reason: reason ?? null
})

const TranscriptBody = named("Transcript", "A conversation as its visitor sees it.", {
  conversationId: text("The conversation's id."),
  state: choice(
    CONVERSATION_STATES,
    "`waiting` for a person, or `open` while a person has it: then the bot is silent. `solved` and `bot`: the bot answers."
  ),
  hasEmail: flag("True if an address is known to which a person's answer can be mailed."),
  messages: listOf(TranscriptMessageBody, "The newest messages, in order; only those after `after`, if it was sent."),
  files: Schema.optionalKey(
    listOf(VisitorFileBody, "The files that the visitor attached; absent if there is nothing new after `after`.")
  )
})

/**
 * Returns a visitor's own conversation. It is a POST, so that the ids appear in no address and in no log of addresses.
 */
export const postWidgetConversation = defineRoute({
  method: "POST",
  path: "/api/widget/conversation",
  origin: "visitors",
  summary:
    "Returns a visitor's own conversation with a bot, so that a page can continue it after a reload, or only its new messages",
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
    const { files, messages, ...found } = yield* widget.conversation({ ...body, address: caller.address })
    const transcript: typeof TranscriptBody.Type = {
      ...found,
      ...(files === undefined ? {} : { files: files.map(fileRow) }),
      messages: messages.map(({ author = null, rating = null, ...message }) => ({ ...message, author, rating }))
    }
    return json(200, transcript)
  })
})

const PersonWishedBody = named("PersonWished", "The answer to a visitor who asks for a person.", {
  conversationId: uuid("The conversation's id: send it with the next message."),
  state: choice(HANDOVER_STATES, "`waiting`, or `open` if a person has the conversation already."),
  hasEmail: flag("True if an address is known to which an answer can be mailed."),
  opensAt: opensAtField
})

/** Hands a visitor's conversation over to a person. */
export const postWidgetPerson = defineRoute({
  method: "POST",
  path: "/api/widget/person",
  origin: "visitors",
  summary: "Has a visitor wait for a person; the bot is silent until the person is done",
  access: visitorAccess,
  body: jsonBody(
    PersonWish.annotate({ identifier: "PersonWish", description: "A visitor's wish to speak with a person." }),
    "Which conversation, and how an answer reaches the visitor. Sent again, it adds an address."
  ),
  responses: { 200: { description: "The visitor waits, or a person has the conversation.", schema: PersonWishedBody } },
  errors: [
    "hand_over_off",
    "bot_not_found",
    "conversation_not_found",
    "visitor_rate_limited",
    "conversation_rate_limited",
    "bot_rate_limited",
    "too_many_visitor_streams",
    "too_many_bot_streams",
    "visitor_challenge_required",
    "challenge_unavailable",
    "bot_misconfigured",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller, context }) {
    const widget = yield* WidgetService
    const { address: site } = context.server
    const wish = { ...body, address: caller.address, site: site?.origin }
    const { opensAt, ...wished } = yield* widget.askForPerson(wish)
    return json(200, { ...wished, opensAt: timeOf(opensAt) } satisfies typeof PersonWishedBody.Type)
  })
})

const FileAttachedBody = named("FileAttached", "An attached file, whose reading has begun.", {
  conversationId: uuid("The conversation's id: send it with the next message."),
  file: VisitorFileBody
})

/** Attaches a visitor's file to a conversation. */
export const postWidgetFile = defineRoute({
  method: "POST",
  path: "/api/widget/files",
  origin: "visitors",
  summary: "Attaches a visitor's file to a conversation with a bot, if the bot's owner allows files",
  details:
    "Only the replies of that conversation read the file. POST /api/widget/conversation shows its state. The file has at most 5 MB and is a document of the bot's owner; a conversation has at most 5.",
  access: visitorAccess,
  body: visitorFileBody,
  largeWork: "write",
  responses: { 200: { description: "The file is stored.", schema: FileAttachedBody } },
  errors: [
    "visitor_uploads_off",
    "visitor_uploads_limited",
    "too_many_conversation_files",
    "no_room_for_file",
    "file_rejected",
    "scanner_unavailable",
    "bot_not_found",
    "conversation_not_found",
    "bot_misconfigured",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const widget = yield* WidgetService
    const { conversationId, file } = yield* widget.attach({ ...body, address: caller.address })
    return json(200, { conversationId, file: fileRow(file) } satisfies typeof FileAttachedBody.Type)
  })
})

/** Rates a reply of a bot. */
export const postWidgetRating = defineRoute({
  method: "POST",
  path: "/api/widget/rating",
  origin: "visitors",
  summary: "Stores a visitor's rating of a reply, or takes it back",
  access: visitorAccess,
  body: jsonBody(
    VisitorRating.annotate({ identifier: "VisitorRating", description: "A visitor's rating of a reply." }),
    "The rating."
  ),
  responses: { 204: { description: "It is stored." } },
  errors: [
    "bot_not_found",
    "conversation_not_found",
    "visitor_reads_limited",
    "bot_misconfigured",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const widget = yield* WidgetService
    yield* widget.rate({ ...body, address: caller.address })
    return empty()
  })
})
