import {
  Context,
  Effect,
  Layer,
  Cause,
  type Fiber,
  Option,
  Pull,
  Scope,
  Channel,
  Clock,
  Exit,
  Result,
  Stream
} from "effect"
import { heartbeatMs, makeBeats, HoldTtl, untilStored } from "../../credits/holds/keepHolds.ts"
import { type ReplyBeat, type ReplyBeaten, RunningReplies, type ReplyName } from "./RunningReplies.ts"
import type { ReplyEnd } from "../../credits/Transaction.ts"
import { ModelFailed, type ReplyPart } from "../../models/ChatModel.ts"
import { countFailure, noteFallback } from "../../models/modelMetrics.ts"
import { instruments } from "../../telemetry/instruments.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"
import { type BeginTurnInput, ChatStore } from "../store/ChatStore.ts"
import { makeEndReply, makeReplyPayments, type ReplyPayment, type RunReplyInput, type SpokenReply } from "./endReply.ts"
import type { OpenedReply } from "./Reply.ts"
import { lostReplyDraft } from "./replyCredits.ts"
import { replyOutput, type ReplyText } from "./ReplyText.ts"
import { finishedReply, type ModelCall, observeCall, type ReportedUsage } from "../../models/replyStream.ts"
import { ReplyTimeLimit } from "../../models/ReplyTimeLimit.ts"

/**
 * Returns true for failures that another model may avoid; false for a refusal, and for an empty answer, which the
 * vendor has charged.
 */
const mayPassOn = ({ reason, retryable }: ModelFailed): boolean =>
  reason !== "empty" &&
  reason !== "refused" &&
  (retryable || reason === "unavailable" || reason === "misconfigured" || reason === "overlong")

/**
 * Returns all further words of a model's stream that are available. Records the other reports; parts after the end mark
 * are ignored. At the end, `finishedReply` returns whether the reply is complete or failed.
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
 * Calls a model and waits for its first words. Its stream has a scope of its own within the reply's scope, which is
 * closed if the call fails.
 */
const openCall = Effect.fnUntraced(function* (call: ModelCall, rewrite: OpenedReply["rewrite"]) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const leave = Scope.close(scope, Exit.void)
  const reported: ReportedUsage = { inputUsage: undefined, end: undefined, failure: undefined }
  const observed = yield* observeCall(call, reported, scope)
  // `Stream.toPull` is avoided, because it merges all services into the context of every pull.
  const parts = yield* Channel.toPullScoped(Stream.toChannel(call.provider.stream(call.request)), scope)
  const nextText = readText(call.request.model.id, parts, reported)
  const first = yield* Effect.catch(nextText, (error) => {
    // The stream cannot be done here: a complete reply has at least one word.
    if (!(error instanceof ModelFailed)) return Effect.die(error)
    reported.failure = error.reason
    return Effect.andThen(Effect.andThen(leave, countFailure(call.provider.name, error)), Effect.fail(error))
  })
  yield* observed.spoke
  return { call, reported, rewrite, observed, first, nextText, leave } satisfies OpenedReply
})

/**
 * Calls the models one after another until one sends text: the next model is called only if no text has arrived, and
 * only after failures that another model may avoid. All calls of all models, and the reply itself, share one time limit
 * (`ReplyTimeLimit`). Fails with the failure of the last model that was called. Failures and fallbacks are counted.
 */
const openReply = Effect.fnUntraced(function* (
  calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>],
  rewrite: OpenedReply["rewrite"]
): Effect.fn.Return<OpenedReply, ModelFailed, Scope.Scope> {
  const deadline = (yield* Clock.currentTimeMillis) + (yield* ReplyTimeLimit)
  let [call, ...others] = calls
  for (;;) {
    const opened = yield* Effect.result(openCall({ ...call, request: { ...call.request, deadline } }, rewrite))
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

/** The interval at which the new text of a joinable reply is stored. */
const READ_ALONG_MS = 250
/** The maximum interval between two writes: the answer to a write says whether a reader has asked the reply to stop. */
const LOOK_MS = 1_000

/** A reply of this process, as its heartbeats see it. */
export interface BeatingReply {
  readonly joinable: boolean
  readonly hasNews: () => boolean
  /** Returns the state to record now. */
  next(): ReplyBeat
  /** Handles the answer to the beat that `next` returned. */
  beaten(answer: ReplyBeaten, beat: ReplyBeat): Effect.Effect<void>
}

/**
 * The heartbeat of all replies that this process writes: every two seconds, one call for all of them stores the new
 * text, records its tokens and renews the holds. Joinable replies have a faster heartbeat.
 */
export class ReplyBeats extends Context.Service<
  ReplyBeats,
  {
    /** Adds a reply to the heartbeat; running the returned effect removes it. */
    keep(reply: BeatingReply): Effect.Effect<Effect.Effect<void>>
  }
>()("@parley/core/chat/reply/ReplyBeats") {
  static readonly layer = Layer.effect(
    ReplyBeats,
    Effect.gen(function* () {
      const replies = yield* RunningReplies
      const scope = yield* Effect.scope
      const ttlMs = yield* HoldTtl
      const lookMs = Math.min(LOOK_MS, Math.ceil(ttlMs / 4))

      const write = Effect.fnUntraced(function* (kept: ReadonlyArray<BeatingReply>) {
        const beats = kept.map((reply) => ({ reply, beat: reply.next() }))
        if (beats.length === 0) return
        const answers = yield* replies.write({ beats: beats.map(({ beat }) => beat), ttlMs })
        // Handled beside the heartbeats, because holding credits again takes time.
        for (const [index, { beat, reply }] of beats.entries()) {
          const answer = answers[index]
          if (answer !== undefined) yield* Effect.forkIn(reply.beaten(answer, beat), scope, { startImmediately: true })
        }
      })
      let sinceLook = 0
      const slow = yield* makeBeats<BeatingReply>(heartbeatMs(ttlMs), write)
      const fast = yield* makeBeats<BeatingReply>(Math.min(READ_ALONG_MS, lookMs), (kept) => {
        sinceLook = sinceLook >= lookMs ? 0 : sinceLook + READ_ALONG_MS
        return write(sinceLook === 0 ? kept : kept.filter(({ hasNews }) => hasNews()))
      })

      return ReplyBeats.of({
        keep: (reply) =>
          reply.joinable
            ? Effect.tap(fast(reply), () => Effect.forkIn(Effect.ignore(write([reply])), scope))
            : slow(reply)
      })
    })
  )
}

const NOT_REPORTED = { inputUsage: undefined, end: undefined, failure: undefined }
const HIGH_SURROGATE = /[\ud800-\udbff]$/

/**
 * Appends the model's words to the text until the end mark or a failure; waits for a reader before each piece if
 * `atReadersPace`.
 */
const writeOn = Effect.fnUntraced(function* (
  { opened: { call, first, nextText }, output }: SpokenReply,
  text: ReplyText<ModelFailed>,
  atReadersPace: boolean,
  isLost: () => boolean
): Effect.fn.Return<never, ModelFailed | Cause.Done> {
  const model = call.request.model.id
  for (let words = first; ; words = yield* nextText) {
    // Text that no reader has requested is neither delivered nor charged.
    if (atReadersPace) yield* text.wanted
    if (isLost()) return yield* new ModelFailed({ model, reason: "cut-off", retryable: true })
    const taken = output.take(words)
    text.append(taken.text)
    if (taken.isCut || taken.text === "") {
      return yield* new ModelFailed({ model, reason: "overlong", retryable: false })
    }
  }
})

/** The model that writes a reply, and the sources that it reads. */
type BegunReply = BeginTurnInput["reply"] & { readonly model: string }

/** The progress of a reply. */
interface RunState {
  /** Set when a model has sent its first text. */
  spoken: SpokenReply | undefined
  /** True when the message of the reply is stored. */
  isBegun: boolean
}

/**
 * Makes the functions for a reply's heartbeats, which store its text, renew its hold and, if the hold has ended, hold
 * credits again.
 */
const beatingReply = (of: {
  readonly input: RunReplyInput
  readonly payment: ReplyPayment
  readonly state: RunState
  readonly stop: Effect.Effect<void>
  readonly text: ReplyText<ModelFailed>
  readonly tokenizer: TokenizerService
}): BeatingReply => {
  const { payment, state, stop, text, tokenizer } = of
  const { calls, joinable, turn } = of.input
  const name: ReplyName = { owner: turn.owner, chatId: turn.chatId, replyId: turn.reply.id }
  let stored = 0
  let tokens = 0
  const current = () => state.spoken?.opened ?? { call: calls[0], reported: NOT_REPORTED, rewrite: undefined }
  const draftOf = () => lostReplyDraft(current(), turn.chatId, tokenizer)
  return {
    joinable,
    hasNews: () => state.isBegun && text.length() > stored,
    next: () => {
      const { isBegun, spoken } = state
      const { call, reported, rewrite } = current()
      // Text is stored only after its message, because it could not be read without the message.
      const news = isBegun ? text.from(stored) : ""
      // If the text ends with half of a character, it is stored with the next heartbeat.
      const isWhole = !HIGH_SURROGATE.test(news)
      if (isBegun && isWhole) tokens = Math.min(spoken?.output.tokens() ?? 0, call.request.maxOutputTokens)
      const isBetterKnown =
        call.request.model !== calls[0].request.model || reported.inputUsage !== undefined || rewrite !== undefined
      const hold = payment.progress(tokens, isBetterKnown, draftOf)
      // In a stored chat, other clients may find a joinable reply before its first words.
      if (!isBegun && !(joinable && turn.continues)) return { hold }
      const model = call.request.model.id
      return { hold, reply: { ...name, model, joinable, start: stored, text: isWhole ? news : "" } }
    },
    beaten: ({ isChatGone, isHoldGone, length, stopAsked }, { hold: { key } }) => {
      if (isHoldGone) {
        stored = 0
        tokens = 0
        return payment.replace(key, draftOf())
      }
      stored = length ?? stored
      // A joinable reply ends when its chat is deleted; any other reply continues for its reader.
      return stopAsked || (joinable && isChatGone) ? stop : Effect.void
    }
  }
}

/**
 * Writes a reply that `hold` pays for, from the call of the model to its one end by `endReply`: after the model's end
 * mark, a failure or an interruption, whichever comes first. `onFirstWords` runs once the model sends text. Heartbeats
 * store the text and renew the hold; if a heartbeat finds that a sweeper ended the hold, credits are held again, or the
 * reply is cut off. Fails with the failure of the model. Run it uninterruptible: it allows interruption while it waits
 * for the model and while the model writes.
 */
export const makeRunReply = Effect.gen(function* () {
  const chats = yield* ChatStore
  const beats = yield* ReplyBeats
  const endReply = yield* makeEndReply
  const paymentOf = yield* makeReplyPayments

  return Effect.fnUntraced(function* (
    input: RunReplyInput,
    text: ReplyText<ModelFailed>,
    callbacks: {
      /** Called once, with the reply's model and sources, and with the fiber that stores the turn. */
      readonly onFirstWords: (reply: BegunReply, beginning: SpokenReply["beginning"]) => Effect.Effect<unknown>
      /** Interrupts the reply, after a reader has asked it to stop. */
      readonly stop: Effect.Effect<void>
      /**
       * Called at the end of the reply, with the fiber that stores and charges it. That fiber may run longer than this
       * effect.
       */
      readonly onEnd: (ending: Fiber.Fiber<unknown, unknown>) => void
    }
  ): Effect.fn.Return<void, ModelFailed, Scope.Scope> {
    const tokenizer = yield* Tokenizer
    const ttlMs = yield* HoldTtl
    const { calls, hold, joinable, turn } = input
    const payment = paymentOf(hold, input.spending)
    const state: RunState = { spoken: undefined, isBegun: false }
    const beating = beatingReply({ input, payment, state, stop: callbacks.stop, text, tokenizer })
    const stopKeeping = yield* beats.keep(beating)

    const speak = Effect.gen(function* () {
      const revised = input.revise === undefined ? undefined : yield* input.revise
      const opened = yield* openReply(revised?.calls ?? calls, revised?.rewrite)
      const { maxOutputTokens, model } = opened.call.request
      const running = { hold, joinable, ttlMs }
      const reply = {
        ...turn.reply,
        ...(revised && { sources: revised.sources, unread: revised.unread }),
        model: model.id
      }
      const begun = { ...turn, running, reply }
      const beginning = yield* Effect.forkChild(
        Effect.andThen(
          untilStored(Effect.uninterruptible(chats.beginTurn(begun))),
          Effect.sync(() => void (state.isBegun = true))
        )
      )
      const speaking = { opened, output: replyOutput(maxOutputTokens, tokenizer), turn: begun, beginning }
      state.spoken = speaking
      yield* callbacks.onFirstWords(reply, beginning)
      return yield* writeOn(speaking, text, !joinable, payment.isLost)
    })
    const cause = yield* Effect.flip(Effect.sandbox(Effect.interruptible(speak)))
    const { spoken } = state
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (spoken !== undefined && error instanceof ModelFailed) {
      spoken.opened.reported.failure = error.reason
      instruments.repliesCut.record(1, { reason: error.reason })
      yield* countFailure(spoken.opened.call.provider.name, error)
    }
    const ended = endedBy(cause, spoken)
    callbacks.onEnd(yield* endReply({ input, payment, spoken, ended, stopKeeping, tokenizer }))
    return Pull.isDoneCause(cause) ? undefined : yield* Effect.failCause(cause as Cause.Cause<ModelFailed>)
  })
})

const endedBy = (cause: Cause.Cause<unknown>, spoken: SpokenReply | undefined): ReplyEnd | "unanswered" => {
  if (Pull.isDoneCause(cause)) return spoken?.opened.reported.end?.reason ?? "failed"
  if (Cause.hasInterruptsOnly(cause)) return "stopped"
  return spoken === undefined ? "unanswered" : "failed"
}
