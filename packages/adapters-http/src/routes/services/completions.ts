import type { ReplyParties, ServiceKey, UserId } from "@parley/core"
import { ModelFailed } from "@parley/core/adapter"
import { ChatService, CreditService, ModelOffers } from "@parley/core/effect"
import { Clock, Effect, Stream } from "effect"
import { keyAccess } from "../../access/secretAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json, streamed } from "../../exchange/Exchange.ts"
import { InvalidRequest, ModelNotFound } from "../../problems/errors.ts"
import { openAiFailures } from "../../problems/openAiFailures.ts"
import { replyErrors } from "../chats/replyErrors.ts"
import { constant, listOf, named, text, whole } from "../fields.ts"
import { idempotencyKeyParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { CompletionBody, type StartedCompletion, streamedCompletion, wholeCompletion } from "./completionReply.ts"
import { CompletionRequest, conversationOf, outputLimitOf } from "./completionRequest.ts"

/** The ids of the models that the server can run for people of any tier. */
const offeredModels = Effect.map(
  ModelOffers.use(({ tiers }) => tiers),
  (tiers) => [...new Set(tiers.flatMap(({ models }) => models))]
)

/** The person pays and owns the chat; the service key is the spender. */
const partiesOf = ({ id }: ServiceKey, user: UserId): ReplyParties => ({
  payer: user,
  documentsOwner: user,
  conversationOwner: { person: user },
  source: `key:${id}`
})

/**
 * Starts the reply. The prefix separates the idempotency keys of this service from those of other services and of the
 * person.
 */
const start = Effect.fnUntraced(function* (
  caller: ServiceKey,
  body: CompletionRequest,
  idempotencyKey: string | undefined
) {
  if (!(yield* offeredModels).includes(body.model)) return yield* new ModelNotFound()
  const { instructions, messages } = conversationOf(body)
  const sending = ChatService.use((chat) =>
    chat.send({
      parties: partiesOf(caller, body.user),
      terms: { instructions, maxOutputTokens: outputLimitOf(body), isClientKept: true },
      request: { messages, modelId: body.model },
      idempotencyKey: idempotencyKey === undefined ? undefined : `key:${caller.id} ${idempotencyKey}`
    })
  )
  const reply = yield* sending.pipe(
    Effect.catchTag("InvalidChatRequest", ({ issues }) => new InvalidRequest({ issues })),
    // These failures cannot occur: the request names no document or project, and the service vouches for the person.
    Effect.catchTag(["DocumentNotFound", "DocumentForbidden", "ProjectNotFound", "SessionInvalid"], Effect.die)
  )
  const credits = yield* CreditService
  return {
    reply,
    created: Math.floor((yield* Clock.currentTimeMillis) / 1_000),
    cost: credits.replyCosts(body.user, [reply.messageId]).pipe(
      Effect.map((costs) => costs.get(reply.messageId.toLowerCase())),
      Effect.orElseSucceed(() => undefined)
    )
  } satisfies StartedCompletion
})

/**
 * The failure of a reply that broke off after its first words. Those were charged, so clients should not repeat the
 * request.
 */
const cutOff = ({ model }: ModelFailed) => new ModelFailed({ model, reason: "cut-off", retryable: false })

/** Answers a conversation in OpenAI's protocol. */
export const postCompletion = defineRoute({
  method: "POST",
  path: "/v1/chat/completions",
  summary:
    "Answers a conversation in OpenAI's protocol, and charges the person in `user`, whose account opens at first sight",
  details:
    "Credits are held before the model is called, and charged for what was written. The newest message and the reply are stored as a chat of the person. Parameters that are not described here are ignored.",
  access: keyAccess("chat:complete"),
  failures: openAiFailures,
  headerParameters: { "idempotency-key": idempotencyKeyParameter },
  body: jsonBody(CompletionRequest, "The conversation, the model and the person who pays."),
  responses: {
    200: {
      description:
        "The reply: whole or, with `stream`, as server-sent events, of which the last one is `[DONE]` if the reply is complete.",
      schema: CompletionBody,
      contentType: "text/event-stream",
      headers: {
        "x-chat-id": "The id of the stored chat.",
        "x-credits-limited":
          "Present if the balance is too low for the longest reply: the number of output tokens that it pays."
      }
    }
  },
  errors: ["invalid_request", "model_not_found", ...replyErrors],
  handle: Effect.fnUntraced(function* ({ body, caller, context: { request }, headers }) {
    const started = yield* start(caller, body, headers["idempotency-key"])
    const { chatId, limitedTo } = started.reply
    const common = {
      "x-accel-buffering": "no",
      "x-chat-id": chatId,
      ...(limitedTo === undefined ? {} : { "x-credits-limited": String(limitedTo) })
    }
    if (body.stream === true) {
      const includesUsage = body.stream_options?.include_usage === true
      const events = streamedCompletion(started, { includesUsage, requestId: request.id })
      return streamed(events, { "content-type": "text/event-stream; charset=utf-8", ...common })
    }
    // A stream with one piece, so that the memory of the request's body is returned before the reply is awaited.
    const whole = Stream.fromEffect(Effect.mapError(wholeCompletion(started), cutOff))
    return streamed(whole, { "content-type": "application/json; charset=utf-8", ...common })
  })
})

const ModelRow = named("CompletionModel", "A model in the form of OpenAI's protocol.", {
  id: text("The model's id."),
  object: constant("model", "The kind of the object."),
  created: whole("Always 0."),
  owned_by: text("Always `parley`.")
})

const ModelsBody = named("CompletionModelList", "The models in the form of OpenAI's protocol.", {
  object: constant("list", "The kind of the object."),
  data: listOf(ModelRow, "The models.")
})

/** The models in OpenAI's protocol. */
export const getCompletionModels = defineRoute({
  method: "GET",
  path: "/v1/models",
  summary: "Lists the models of all tiers that this server can run, in OpenAI's protocol",
  details: "Whether a person's tier includes a model is decided when it is asked for them.",
  access: keyAccess("chat:complete"),
  failures: openAiFailures,
  responses: { 200: { description: "The models.", schema: ModelsBody } },
  errors: [],
  handle: Effect.fnUntraced(function* () {
    const body: typeof ModelsBody.Type = {
      object: "list",
      data: (yield* offeredModels).map((id) => ({ id, object: "model", created: 0, owned_by: "parley" }))
    }
    return json(200, body)
  })
})
