import type { StoredMessage, UserId } from "@parley/core"
import type { ModelFailed } from "@parley/core/adapter"
import { CreditService } from "@parley/core/effect"
import { Effect, Stream } from "effect"
import { type ResponseHeaders, streamed } from "../../exchange/Exchange.ts"
import { problemFrom } from "../../problems/Problem.ts"
import { balanceBody } from "../billing/billing.ts"
import { replyReceiptRow } from "../billing/transactionRow.ts"
import { sourceRow } from "./chats.ts"
import { EVENT_STREAM, UI_STREAM, UI_STREAM_VERSION } from "../parameters.ts"

/** A reply that is to be written as a UI message stream. */
export interface UiReply {
  readonly chatId: string
  readonly messageId: string
  readonly model: string
  readonly text: Stream.Stream<string, ModelFailed>
  readonly sources: StoredMessage["sources"]
  readonly pendingDocuments?: ReadonlyArray<string>
  readonly unreadDocuments?: ReadonlyArray<string>
  readonly limitedTo?: number | undefined
}

/** The reader of a reply, and the request that asked for it. */
export interface UiReader {
  readonly userId: UserId
  readonly requestId: string
}

type Part = Readonly<Record<string, unknown>> & { readonly type: string }

/** A Server-Sent Event with JSON, which contains no line breaks. */
const eventOf = (data: Part): string => `data: ${JSON.stringify(data)}\n\n`

const DONE = "data: [DONE]\n\n"

/** The parts before the text. The page stores the metadata with the message, and sends it with the next request. */
const beginningOf = (reply: UiReply): ReadonlyArray<Part> => [
  {
    type: "start",
    messageId: reply.messageId,
    messageMetadata: {
      chatId: reply.chatId,
      model: reply.model,
      pendingDocuments: reply.pendingDocuments ?? [],
      unreadDocuments: reply.unreadDocuments ?? [],
      limitedTo: reply.limitedTo ?? null
    }
  },
  { type: "data-sources", id: "sources", data: reply.sources.map(sourceRow) },
  { type: "text-start", id: reply.messageId }
]

/**
 * The parts after the text; the text ends when the reply is settled. If the cost or the balance cannot be read, its
 * part is left out, because the reply is complete all the same.
 */
const endingOf = Effect.fnUntraced(function* (
  credits: CreditService["Service"],
  messageId: string,
  userId: UserId
): Effect.fn.Return<ReadonlyArray<Part>> {
  const read = <A, E>(reading: Effect.Effect<A, E>) => Effect.catch(reading, () => Effect.undefined)
  const costs = yield* read(credits.replyCosts(userId, [messageId]))
  const cost = costs?.get(messageId.toLowerCase())
  const balance = yield* read(credits.balance(userId))
  const receipt = cost && { credits: cost.credits, receipt: replyReceiptRow(cost.receipt) }
  return [
    { type: "text-end", id: messageId },
    ...(receipt === undefined ? [] : [{ type: "data-receipt", id: "receipt", data: receipt }]),
    ...(balance === undefined ? [] : [{ type: "data-balance", id: "balance", data: balanceBody(balance) }]),
    // `finish` has no further fields, because early releases of `ai` 5 refuse unknown ones; the receipt contains how
    // the reply ended.
    { type: "finish" }
  ]
})

/**
 * The response with a reply in the protocol of the AI SDK: sources, text, receipt and balance. `[DONE]` follows if the
 * reply is complete and settled. After a failure the last part is an `error` whose text is the problem as JSON, and the
 * stream fails, so that the connection breaks as it does with plain text.
 */
export const uiMessageStream = Effect.fnUntraced(function* (
  reply: UiReply,
  { requestId, userId }: UiReader,
  headers: ResponseHeaders
) {
  const credits = yield* CreditService
  const { messageId, text } = reply
  const deltas = Stream.map(text, (delta): Part => ({ type: "text-delta", id: messageId, delta }))
  const ending = Effect.map(endingOf(credits, messageId, userId), (parts) => [...parts.map(eventOf), DONE])
  const pieces = Stream.fromIterable(beginningOf(reply).map(eventOf)).pipe(
    Stream.concat(Stream.map(deltas, eventOf)),
    Stream.concat(Stream.fromIterableEffect(ending)),
    Stream.catchTag("ModelFailed", (failure) => {
      const errorText = JSON.stringify(problemFrom(failure, requestId))
      return Stream.concat(Stream.succeed(eventOf({ type: "error", errorText })), Stream.fail(failure))
    })
  )
  return streamed(pieces, {
    ...headers,
    "content-type": `${EVENT_STREAM}; charset=utf-8`,
    [UI_STREAM]: UI_STREAM_VERSION
  })
})
