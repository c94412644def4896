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

/** A model that may write a reply, and what to ask it. */
export interface ModelCall {
  readonly provider: ChatModel
  readonly request: ChatModelRequest
}

/** A reply whose first words have arrived. */
export interface OpenedReply {
  /** The model that answers. */
  readonly call: ModelCall
  /** What the vendor reported so far. */
  readonly reported: ReportedUsage
  /** The next words, all that are ready, from the first ones on; done after the end mark. */
  readonly nextText: Pull.Pull<string, ModelFailed>
  /** Leaves the vendor. Safe to repeat. */
  readonly leave: Effect.Effect<void>
}

/** What a vendor reports beside its text. */
export interface ReportedUsage {
  inputUsage: InputUsage | undefined
  end: EndPart | undefined
}

/** What may go better with another model: not a refusal, and not an empty answer, which the vendor was paid for. */
const mayPassOn = ({ reason, retryable }: ModelFailed): boolean =>
  reason !== "empty" &&
  reason !== "refused" &&
  (retryable || reason === "unavailable" || reason === "misconfigured" || reason === "overlong")

/** The text of parts that came together; notes what else was reported. After the end nothing counts. */
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

/** The words of a model's stream; its end, and whether it is one, is decided by `finishedReply`. */
const readText = Effect.fnUntraced(function* (
  { provider, request }: ModelCall,
  reported: ReportedUsage,
  scope: Scope.Scope
) {
  let spoke = false
  const finish = (): Pull.Pull<never, ModelFailed> => {
    const finished = finishedReply(request.model.id, spoke, reported.end)
    return Result.isSuccess(finished) ? Cause.done() : Effect.fail(finished.failure)
  }
  // Not by `Stream.toPull`, which merges all services into the context of every pull.
  const pulled = yield* Channel.toPullScoped(Stream.toChannel(provider.stream(request)), scope)
  const parts = Pull.catchDone(pulled, finish)
  const take = (ready: ReadonlyArray<ReplyPart>): Pull.Pull<string, ModelFailed> => {
    const text = takeText(ready, reported)
    if (text === "") return nextText
    spoke = true
    return Effect.succeed(text)
  }
  const nextText: Pull.Pull<string, ModelFailed> = Effect.suspend(() =>
    reported.end === undefined ? Effect.flatMap(parts, take) : finish()
  )
  return nextText
})

/** Asks a model and waits for its first words. Its stream has a scope of its own within the reply's, closed where it fails. */
const openCall = Effect.fnUntraced(function* (call: ModelCall) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const leave = Scope.close(scope, Exit.void)
  const reported: ReportedUsage = { inputUsage: undefined, end: undefined }
  const nextText = yield* readText(call, reported, scope)
  const first = yield* Effect.catch(nextText, (error) =>
    // A reply that is done has spoken before.
    error instanceof ModelFailed
      ? Effect.andThen(Effect.andThen(leave, countFailure(call.provider.name, error)), Effect.fail(error))
      : Effect.die(error)
  )
  let unread: string | undefined = first
  const fromFirst = Effect.suspend(() => {
    if (unread === undefined) return nextText
    const text = unread
    unread = undefined
    return Effect.succeed(text)
  })
  return { call, reported, nextText: fromFirst, leave } satisfies OpenedReply
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
