import { Cause, Channel, Clock, Effect, Exit, Pull, Result, Scope, Stream } from "effect"
import {
  type ChatModel,
  type ChatModelRequest,
  type EndPart,
  type InputUsage,
  ModelFailed,
  type ReplyPart
} from "../../models/ChatModel.ts"
import { finishedReply } from "../../models/replyStream.ts"
import { countFailure, noteFallback } from "../../models/modelMetrics.ts"
import { ReplyTimeLimit } from "../../models/ReplyTimeLimit.ts"

/** A model that may write a reply, and its request. */
export interface ModelCall {
  readonly provider: ChatModel
  readonly request: ChatModelRequest
}

/** A reply whose first words have arrived. */
export interface OpenedReply {
  /** The model that answers. */
  readonly call: ModelCall
  /** The vendor's reports so far. */
  readonly reported: ReportedUsage
  /** Its first words. */
  readonly first: string
  /** All next words that are available; done after the end mark. */
  readonly nextText: Pull.Pull<string, ModelFailed>
  /** Closes the connection to the vendor. Safe to repeat. */
  readonly leave: Effect.Effect<void>
}

/** The parts that a vendor reports beside its text. */
export interface ReportedUsage {
  inputUsage: InputUsage | undefined
  end: EndPart | undefined
}

/**
 * True for failures that another model may avoid: not a refusal, and not an empty answer, for which the vendor was
 * paid.
 */
const mayPassOn = ({ reason, retryable }: ModelFailed): boolean =>
  reason !== "empty" &&
  reason !== "refused" &&
  (retryable || reason === "unavailable" || reason === "misconfigured" || reason === "overlong")

/**
 * All next words of a model's stream that are available. Records the other reports; parts after the end mark are
 * ignored. `finishedReply` decides the end.
 */
const readText = (
  model: string,
  parts: Pull.Pull<ReadonlyArray<ReplyPart>, ModelFailed>,
  reported: ReportedUsage
): Pull.Pull<string, ModelFailed> => {
  let spoke = false
  return Effect.gen(function* () {
    while (reported.end === undefined) {
      const ready = yield* Pull.catchDone(parts, () => Effect.undefined)
      if (ready === undefined) break
      let text = ""
      for (const part of ready) {
        if (part._tag === "text-delta") text += part.text
        else if (part._tag === "input-usage") reported.inputUsage = part.usage
        else {
          reported.end = part
          break
        }
      }
      if (text === "") continue
      spoke = true
      return text
    }
    yield* Effect.fromResult(finishedReply(model, spoke, reported.end))
    return yield* Cause.done()
  })
}

/**
 * Asks a model and waits for its first words. Its stream has its own scope within the reply's, which is closed if it
 * fails.
 */
const openCall = Effect.fnUntraced(function* (call: ModelCall) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const leave = Scope.close(scope, Exit.void)
  const reported: ReportedUsage = { inputUsage: undefined, end: undefined }
  // Not by `Stream.toPull`, which merges all services into the context of every pull.
  const parts = yield* Channel.toPullScoped(Stream.toChannel(call.provider.stream(call.request)), scope)
  const nextText = readText(call.request.model.id, parts, reported)
  const first = yield* Effect.catch(nextText, (error) =>
    // A reply that is done has spoken before.
    error instanceof ModelFailed
      ? Effect.andThen(Effect.andThen(leave, countFailure(call.provider.name, error)), Effect.fail(error))
      : Effect.die(error)
  )
  return { call, reported, first, nextText, leave } satisfies OpenedReply
})

/**
 * Asks the models in turn until one sends text: the next one only while no text has arrived, and only after failures
 * that another model may avoid. All tries of all models, and the reply itself, share one time limit (`ReplyTimeLimit`).
 * Fails with the failure of the last model asked. Failures and fallbacks are counted.
 */
export const openReply = Effect.fnUntraced(function* (
  calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
): Effect.fn.Return<OpenedReply, ModelFailed, Scope.Scope> {
  const deadline = (yield* Clock.currentTimeMillis) + (yield* ReplyTimeLimit)
  let [call, ...others] = calls
  for (;;) {
    const opened = yield* Effect.result(openCall({ ...call, request: { ...call.request, deadline } }))
    if (Result.isSuccess(opened)) return opened.success
    const [next, ...rest] = others
    const { failure } = opened
    if (next === undefined || !mayPassOn(failure) || (yield* Clock.currentTimeMillis) >= deadline) {
      return yield* failure
    }
    yield* noteFallback(failure, next.request.model.id)
    call = next
    others = rest
  }
})
