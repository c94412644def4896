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
const openCall = Effect.fnUntraced(function* (call: ModelCall, rewrite: OpenedReply["rewrite"]) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const leave = Scope.close(scope, Exit.void)
  const reported: ReportedUsage = { inputUsage: undefined, end: undefined, failure: undefined }
  const observed = yield* observeCall(call, reported, scope)
  // Not by `Stream.toPull`, which merges all services into the context of every pull.
  const parts = yield* Channel.toPullScoped(Stream.toChannel(call.provider.stream(call.request)), scope)
  const nextText = readText(call.request.model.id, parts, reported)
  const first = yield* Effect.catch(nextText, (error) => {
    // A reply that is done has spoken before.
    if (!(error instanceof ModelFailed)) return Effect.die(error)
    reported.failure = error.reason
    return Effect.andThen(Effect.andThen(leave, countFailure(call.provider.name, error)), Effect.fail(error))
  })
  yield* observed.spoke
  return { call, reported, rewrite, observed, first, nextText, leave } satisfies OpenedReply
})

/**
 * Asks the models in turn until one sends text: the next one only while no text has arrived, and only after failures
 * that another model may avoid. All tries of all models, and the reply itself, share one time limit (`ReplyTimeLimit`).
 * Fails with the failure of the last model asked. Failures and fallbacks are counted.
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
/** The longest interval between two writes; the answer of a write says whether a reader has asked for the end. */
const LOOK_MS = 1_000

/** A reply of this process, as its heartbeats see it. */
export interface BeatingReply {
  readonly joinable: boolean
  readonly hasNews: () => boolean
  /** The state to record now. */
  next(): ReplyBeat
  /** Takes the answer to the beat that `next` returned. */
  beaten(answer: ReplyBeaten, beat: ReplyBeat): Effect.Effect<void>
}

/**
 * The heartbeat of all replies that this process writes: one call for all of them stores the new text, records its
 * tokens and renews the holds, every two seconds. Replies that others may read along have a faster one.
 */
export class ReplyBeats extends Context.Service<
  ReplyBeats,
  {
    /** Keeps a reply until the effect that this returns is run. */
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
        // Runs beside the heartbeats, because holding credits again takes time.
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

/** Appends the model's words to the text, at the pace of a reader if there is one, until the end mark or a failure. */
const writeOn = Effect.fnUntraced(function* (
  { opened: { call, first, nextText }, output }: SpokenReply,
  text: ReplyText<ModelFailed>,
  atReadersPace: boolean,
  isLost: () => boolean
): Effect.fn.Return<never, ModelFailed | Cause.Done> {
  const model = call.request.model.id
  for (let words = first; ; words = yield* nextText) {
    // Text that no reader has requested yet is not delivered, and not charged.
    if (atReadersPace) yield* text.wanted
    if (isLost()) return yield* new ModelFailed({ model, reason: "cut-off", retryable: true })
    const taken = output.take(words)
    text.append(taken.text)
    if (taken.isCut || taken.text === "") {
      return yield* new ModelFailed({ model, reason: "overlong", retryable: false })
    }
  }
})

/** The model that writes a reply, and the sources that it read. */
type BegunReply = BeginTurnInput["reply"] & { readonly model: string }

/** The progress of a reply. */
interface RunState {
  /** Set once a model sends text. */
  spoken: SpokenReply | undefined
  /** Its message is stored. */
  isBegun: boolean
}

/** A reply as its heartbeats see it: they store its text, keep its hold and, if that is lost, hold credits again. */
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
      // A text without its message could not be read.
      const news = isBegun ? text.from(stored) : ""
      // Half a character waits for its other half.
      const isWhole = !HIGH_SURROGATE.test(news)
      if (isBegun && isWhole) tokens = Math.min(spoken?.output.tokens() ?? 0, call.request.maxOutputTokens)
      const isBetterKnown =
        call.request.model !== calls[0].request.model || reported.inputUsage !== undefined || rewrite !== undefined
      const hold = payment.progress(tokens, isBetterKnown, draftOf)
      // Other clients may find the reply of a stored chat before its first words.
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
      // A reply that others may join ends with its chat; another one has a reader.
      return stopAsked || (joinable && isChatGone) ? stop : Effect.void
    }
  }
}

/**
 * Writes a reply that `hold` pays for, from asking the model to its one end: `endReply`, after the model's end mark, a
 * failure or an interruption, whichever comes first. `onFirstWords` runs once the model sends text. Heartbeats store
 * the text and keep the hold; a heartbeat that finds that a sweeper ended the hold holds credits again, or cuts the
 * reply off. Fails as the model does. Run it uninterruptible: it can be interrupted while it waits for the model and
 * while the model writes.
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
      /** Called once with the reply's model and sources, and with the fiber that stores the turn. */
      readonly onFirstWords: (reply: BegunReply, beginning: SpokenReply["beginning"]) => Effect.Effect<unknown>
      /** Interrupts the reply: a reader has asked for its end. */
      readonly stop: Effect.Effect<void>
      /**
       * Called at the reply's end, with the fiber that stores and charges it. That fiber may run longer than this
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
