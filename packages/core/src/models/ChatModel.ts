import { Context, type Effect, Schema, type Stream } from "effect"
import type { Usage } from "./Usage.ts"
import type { Model } from "./Model.ts"
import type { ChatMessage } from "./ChatMessage.ts"

export interface ChatModelRequest {
  readonly model: Model
  readonly messages: ReadonlyArray<ChatMessage>
  /** The maximum length of the reply, because credits are held only for this number of tokens. */
  readonly maxOutputTokens: number
  /** Unix milliseconds: the reply is aborted at this time, even during a retry. The vendor's own limits also apply. */
  readonly deadline?: number
}

/** The part of a reply's usage that is known after the vendor has read the prompt. */
export type InputUsage = Omit<Usage, "output">

/**
 * A part of a reply. A model sends any number of text deltas, and then exactly one `end`. A stream that finishes
 * without `end` was cut off. `usage` is undefined if the vendor did not report it. A vendor that reports the tokens of
 * the prompt early sends at most one `input-usage` before its first delta; the price of an abandoned reply is computed
 * from it.
 */
export type ReplyPart =
  | { readonly _tag: "input-usage"; readonly usage: InputUsage }
  | { readonly _tag: "text-delta"; readonly text: string }
  | EndPart

/** The vendor's end mark. */
export interface EndPart {
  readonly _tag: "end"
  readonly reason: "completed" | "length"
  readonly usage: Usage | undefined
}

/** The reasons why a model did not finish a reply. */
export const MODEL_FAILURES = [
  "cut-off",
  "stalled",
  "refused",
  "rate-limited",
  "unavailable",
  "misconfigured",
  "bad-answer",
  "overlong",
  "empty"
] as const
export type ModelFailure = (typeof MODEL_FAILURES)[number]

const explanations: Record<ModelFailure, string> = {
  "cut-off": "The model's reply was cut off before its end.",
  stalled: "The model's provider is silent; try again in a moment, or choose another model.",
  refused: "The model declined to answer this request.",
  "rate-limited": "The model is receiving too many requests; try again in a moment.",
  unavailable: "The model is not available at the moment; try again, or choose another model.",
  misconfigured:
    "The model is not set up right on this server; choose another one. The server's log says what is wrong.",
  "bad-answer": "The model's answer could not be understood.",
  overlong: "The model wrote more than it was asked for; its reply was cut.",
  empty: "The model gave an empty answer; nothing was charged."
}

/**
 * The error codes of failures: temporary failures of the vendor are distinguished from failures that a retry would
 * repeat.
 */
const codes = {
  "cut-off": "model_failed",
  stalled: "provider_unavailable",
  refused: "model_failed",
  "rate-limited": "provider_rate_limited",
  unavailable: "provider_unavailable",
  misconfigured: "model_misconfigured",
  "bad-answer": "model_failed",
  overlong: "model_failed",
  empty: "model_failed"
} as const satisfies Record<ModelFailure, string>

/**
 * A model failed. `code` is `provider_rate_limited` if its vendor limits the rate of requests, `provider_unavailable`
 * if the vendor is down or does not answer, `model_misconfigured` if the vendor refuses this server's settings, and
 * otherwise `model_failed`. `cause` is for debugging an adapter: texts of vendors never appear in a response or a log.
 */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", {
  model: Schema.String,
  reason: Schema.Literals(MODEL_FAILURES),
  retryable: Schema.Boolean,
  /** The error in the settings of a misconfigured model, in the adapter's words; for the operator. */
  fault: Schema.optionalKey(Schema.String),
  /** Milliseconds until a retry, if the vendor requested a wait. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  get code(): (typeof codes)[ModelFailure] {
    return codes[this.reason]
  }
  override get message() {
    return explanations[this.reason]
  }
}

/** No adapter can run this model, because this server has no key for its vendor. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String
}) {
  readonly code = "model_unavailable"
  override get message() {
    return `The model ${this.model} is not set up on this server. Choose another model, or ask who runs this server: "parley doctor" tells why.`
  }
}

/** Calls the chat models of a vendor. Closing the stream stops the vendor's work. */
export interface ChatModel {
  /** The name for people and receipts, for example `openai` or `offline`. */
  readonly name: string
  /** True for a stand-in, which answers in place of models so that Parley can be tried out; it writes no titles. */
  readonly isStandIn?: boolean
  stream(request: ChatModelRequest): Stream.Stream<ReplyPart, ModelFailed>
}

/** Selects the `ChatModel` that runs a model. */
export class ChatModels extends Context.Service<
  ChatModels,
  {
    resolve(model: Model): Effect.Effect<ChatModel, ModelUnavailable>
  }
>()("@parley/core/chat/ChatModels") {}
