import { Cause, Clock, Effect, Pull, type Scope, Stream } from "effect"
import {
  type ChatModel,
  type ChatModelRequest,
  type InputUsage,
  ModelFailed,
  type ModelFailure,
  type ReplyPart
} from "../models/ChatModel.ts"
import { countFailure, noteFallback } from "../models/modelMetrics.ts"
import { ReplyTimeLimit } from "../models/ReplyTimeLimit.ts"

/** A model that may write a reply, and what to ask it. */
export interface ModelCall {
  readonly provider: ChatModel
  readonly request: ChatModelRequest
}

/** A reply whose first words have arrived. */
export interface OpenedReply {
  /** The model that answers. */
  readonly call: ModelCall
  readonly firstText: string
  /** What the vendor reported so far. */
  readonly reported: ReportedUsage
  /** The next words, all that are ready; done after the end mark. */
  readonly nextText: Pull.Pull<string, ModelFailed>
}

/** What a vendor reports beside its text. */
export interface ReportedUsage {
  inputUsage: InputUsage | undefined
  end: Extract<ReplyPart, { readonly _tag: "end" }> | undefined
}

/** What may go better with another model: not a refusal, and not an empty answer, which the vendor was paid for. */
const mayPassOn = ({ reason, retryable }: ModelFailed): boolean =>
  reason !== "empty" &&
  reason !== "refused" &&
  (retryable || reason === "unavailable" || reason === "misconfigured" || reason === "overlong")

/** The text of a batch of parts; notes what else was reported. After the end nothing counts. */
const takeText = (parts: ReadonlyArray<ReplyPart>, reported: ReportedUsage): string => {
  let text = ""
  for (const part of parts) {
    if (part._tag === "text-delta") text += part.text
    else if (part._tag === "input-usage") reported.inputUsage = part.usage
    else {
      reported.end = part
      break
    }
  }
  return text
}

const openCall = Effect.fnUntraced(function* (call: ModelCall) {
  const { provider, request } = call
  const failed = (reason: ModelFailure) =>
    Effect.fail(new ModelFailed({ model: request.model.id, reason, retryable: true }))
  const reported: ReportedUsage = { inputUsage: undefined, end: undefined }
  const parts = yield* Stream.toPull(provider.stream(request))
  const pullParts = Pull.catchDone(parts, () => failed("cut-off"))
  const nextText = Effect.fnUntraced(function* () {
    while (reported.end === undefined) {
      const text = takeText(yield* pullParts, reported)
      if (text !== "") return text
    }
    return yield* Cause.done()
  })
  const firstText = yield* Pull.catchDone(nextText(), () => failed("empty")).pipe(
    Effect.tapError((error) => countFailure(provider.name, error))
  )
  return { call, firstText, reported, nextText: Effect.suspend(nextText) } satisfies OpenedReply
})

/** Asks the models in turn until one speaks, none of them beyond the deadline. */
const openInTurn = (
  [call, ...others]: readonly [ModelCall, ...ReadonlyArray<ModelCall>],
  deadline: number
): Effect.Effect<OpenedReply, ModelFailed, Scope.Scope> => {
  const [next, ...rest] = others
  const opened = openCall({ ...call, request: { ...call.request, deadline } })
  if (next === undefined) return opened
  return Effect.catch(opened, (error) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      mayPassOn(error) && now < deadline
        ? Effect.andThen(noteFallback(error, next.request.model.id), openInTurn([next, ...rest], deadline))
        : Effect.fail(error)
    )
  )
}

/**
 * Asks the models in turn until one speaks: the next one only while nothing was said, and only for failures that may go
 * better with another model. All tries of all models, and the reply itself, share one limit of time (`ReplyTimeLimit`).
 * Fails with the failure of the last one asked. Failures and fallbacks are counted.
 */
export const openReply = Effect.fnUntraced(function* (
  calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
): Effect.fn.Return<OpenedReply, ModelFailed, Scope.Scope> {
  const deadline = (yield* Clock.currentTimeMillis) + (yield* ReplyTimeLimit)
  return yield* openInTurn(calls, deadline)
})
