import { AnswerText, HandoverService, MoveTo } from "@parley/core/effect"
import { HANDOVER_STATES } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json } from "../../exchange/Exchange.ts"
import { choice, named, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { conversationPath, MessageBody, messageRow } from "./botConversations.ts"
import { botPath } from "./bots.ts"

const CountsBody = named("InboxCounts", "The number of a bot's conversations in each state.", {
  waiting: whole("Conversations that wait for a person."),
  open: whole("Conversations that a person has."),
  solved: whole("Conversations with which a person is done.")
})

/** The counts of a bot's inbox. */
export const getInbox = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/inbox",
  summary: "Counts the conversations of your bot that wait for a person, are open, or are solved",
  access: sessionAccess,
  pathParameters: botPath,
  responses: { 200: { description: "The counts.", schema: CountsBody } },
  errors: ["bot_not_found", "bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* HandoverService
    return json(200, yield* service.counts(caller.userId, path.id))
  })
})

const handoverErrors = [
  "bot_not_found",
  "conversation_not_found",
  "hand_over_off",
  "bot_misconfigured",
  "storage_unavailable"
] as const

/** Answers a visitor in the place of the bot. */
export const postAnswer = defineRoute({
  method: "POST",
  path: "/api/bots/{id}/conversations/{conversationId}/answers",
  summary: "Answers a visitor in the place of your bot, which is silent from then on; costs no credits",
  access: sessionAccess,
  pathParameters: conversationPath,
  body: jsonBody(
    Schema.Struct({ content: AnswerText }).annotate({
      identifier: "PersonAnswer",
      description: "An answer of a person."
    }),
    "The answer."
  ),
  responses: { 201: { description: "The answer as it was stored.", schema: MessageBody } },
  errors: [...handoverErrors, "storage_quota", "unauthorized"],
  handle: Effect.fnUntraced(function* ({ body, caller, path }) {
    const service = yield* HandoverService
    const message = yield* service.answer(caller.userId, path.id, path.conversationId, body.content)
    return json(201, messageRow({ ...message, credits: undefined }))
  })
})

/** Takes, solves or reopens a conversation. */
export const putConversationState = defineRoute({
  method: "PUT",
  path: "/api/bots/{id}/conversations/{conversationId}/state",
  summary: "Takes a conversation or opens it again (`open`), or ends the hand-over (`solved`)",
  access: sessionAccess,
  pathParameters: conversationPath,
  body: jsonBody(
    Schema.Struct({
      state: MoveTo.annotate({
        description: "`open`: you answer, and the bot is silent. `solved`: the bot answers again."
      })
    }).annotate({ identifier: "ConversationMove", description: "The next state of a conversation." }),
    "The next state."
  ),
  responses: {
    200: {
      description: "The state.",
      schema: named("ConversationMoved", "The state of a conversation.", {
        state: choice(HANDOVER_STATES, "The state of the conversation now.")
      })
    }
  },
  errors: handoverErrors,
  handle: Effect.fnUntraced(function* ({ body, caller, path }) {
    const service = yield* HandoverService
    const { state } = yield* service.move(caller.userId, path.id, path.conversationId, body.state)
    return json(200, { state })
  })
})
