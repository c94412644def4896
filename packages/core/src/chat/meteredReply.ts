import { Cause, Effect, Exit, Fiber, Option, Pull, type Scope, Stream } from "effect"
import type { Hold } from "../credits/holds/Hold.ts"
import type { ReplyEnd } from "../credits/Receipt.ts"
import { AbandonedTries } from "./AbandonedTries.ts"
import { ModelFailed, type ModelFailure } from "../models/ChatModel.ts"
import { type BeginTurnInput, ChatStore } from "./ChatStore.ts"
import type { GrantedShare } from "./dailyShares.ts"
import { countFailure, noteUsageAboveHold } from "../models/modelMetrics.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import type { TokenizerService } from "../tokens/TokenizerService.ts"
import { type ReplyOutput, replyOutput } from "../models/replyOutput.ts"
import { type OpenedReply, openReply, type ModelCall } from "./openReply.ts"
import { lostReplyDraft, replyCharge } from "./replyCharge.ts"
import { finishSoon } from "../credits/holds/finishSoon.ts"
import { storeThenEnd } from "./storeThenEnd.ts"
import { makeKeepReplyHold, type ReplyHold, type ReplyProgress } from "./replyHold.ts"
import type { ReplyParties } from "./ReplyParties.ts"
import type { KeptReply } from "./running/KeptReply.ts"
import { retryStorage } from "../storage/retryStorage.ts"

export interface MeteredReplyInput {
  /** The model that was chosen, then those that may answer instead: the hold covers each. */
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly hold: Hold
  /** What the reply was counted with on its bot and address. */
  readonly share: GrantedShare
  /** What the credits are spent by, and how much that may be in a day. */
  readonly spending: Pick<ReplyParties, "source" | "dailyCap" | "askedFrom">
  /** The model of the reply is the one that answers. */
  readonly turn: BeginTurnInput
  /** How the reply is kept where it is delivered to the store, and not to its reader. */
  readonly kept?: KeptReply | undefined
}

/** A reply whose first words have arrived, and the public id of the model that writes it. */
export interface MeteredReply {
  readonly model: string
  readonly text: Stream.Stream<string, ModelFailed>
}

/** A model that speaks: what it has reported, what was delivered of it, and the storing of its turn. */
interface Spoken {
  readonly opened: OpenedReply
  readonly output: ReplyOutput
  readonly turn: BeginTurnInput
  readonly turnStored: Fiber.Fiber<void, unknown>
}

type Delivery = Pull.Pull<readonly [string], ModelFailed>

/** What is known of a reply so far. */
interface Progress {
  /** Counts what no vendor reports. */
  readonly tokenizer: TokenizerService
  spoken: Spoken | undefined
  finished: boolean
  /** No model spoke: the reader has left nothing. */
  unanswered: boolean
  /** The credits that pay it. */
  hold: ReplyHold | undefined
}

const NOT_REPORTED: OpenedReply["reported"] = { inputUsage: undefined, end: undefined }

/** How far a reply has come, as a heartbeat records it. */
const progressOf = (
  { calls: [chosen], kept, turn: { chatId } }: MeteredReplyInput,
  { spoken, tokenizer }: Progress
): ReplyProgress => {
  const { call, reported } = spoken?.opened ?? { call: chosen, reported: NOT_REPORTED }
  return {
    outputTokens: Math.min(kept?.tokens() ?? spoken?.output.tokens() ?? 0, call.request.maxOutputTokens),
    draft: { ...lostReplyDraft({ call, reported }, tokenizer), chatId },
    isBetterKnown: call.request.model !== chosen.request.model || reported.inputUsage !== undefined
  }
}

/** Takes what the reply costs from its hold. A usage that costs more than the hold is logged and counted. */
const settle = (
  { hold: { key, amount: held }, share }: Pick<MeteredReplyInput, "hold" | "share">,
  hold: ReplyHold,
  { opened, output, turn: { chatId } }: Spoken,
  ended: ReplyEnd,
  tokenizer: TokenizerService
): Effect.Effect<void> => {
  const { amount, draft } = replyCharge(opened, output, ended, tokenizer)
  const settled = Effect.andThen(hold.settle(amount, { ...draft, chatId }), share.giveBack(held - amount))
  if (amount <= held) return settled
  const excess = { hold: key, model: draft.model, vendor: opened.call.provider.name, cost: amount, held }
  return Effect.andThen(settled, noteUsageAboveHold(excess))
}

const countCause = ({ provider }: ModelCall, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof ModelFailed ? countFailure(provider.name, error) : Effect.void
}

const stateOf = (ended: ReplyEnd) =>
  ended === "completed" || ended === "length" ? "complete" : ended === "stopped" ? "stopped" : "failed"

/**
 * Opens a reply that is paid by `hold`: gives its text once the first words have arrived, and settles exactly once,
 * whichever comes first of its end, its failure and the closing of the scope.
 *
 * - nothing delivered: the hold is released; where the reader left, the try is counted as abandoned;
 * - complete: charged by the provider's figures, up to the hold, or counted from the text and marked estimated where it
 *   reported none;
 * - failed or left half-way: charged for the input, as the provider counted it where it reported so early, and for what
 *   was delivered; marked estimated. The provider is left at once, so that its own bill ends there too. A reply that goes
 *   far beyond its limit is cut, and fails as `overlong`.
 *
 * Heartbeats keep the hold and record what was delivered, for the case that the process dies. One that finds the hold
 * ended by a sweeper holds the rest anew; where the balance has too little, the reply is cut off. The turn is stored from
 * the first words on, beside the stream. May be called in an uninterruptible region, so that nothing comes between
 * holding the credits and owning the hold: waiting for the first words can be interrupted still.
 */
export const makeMeteredReply = Effect.gen(function* () {
  const abandoned = yield* AbandonedTries
  const chats = yield* ChatStore
  const keepReplyHold = yield* makeKeepReplyHold

  const storeEnd = Effect.fnUntraced(function* (
    { opened, output, turn, turnStored }: Spoken,
    ended: ReplyEnd,
    kept: KeptReply | undefined
  ) {
    yield* opened.leave
    // Stored once, however often it is asked.
    if (Exit.isFailure(yield* Fiber.await(turnStored))) yield* chats.beginTurn(turn)
    const { owner, chatId, reply } = turn
    const end = { owner, chatId, replyId: reply.id, content: output.text(), state: stateOf(ended) } as const
    yield* kept === undefined ? chats.endTurn(end) : kept.end(end)
  })

  /** Settles or releases the hold and stores what the reply became; does so once, and never fails. */
  const finishReply = (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd) =>
    Effect.suspend(() => {
      const { hold: held, kept, share, spending } = input
      const { askedFrom, source } = spending
      const { finished, hold, spoken, tokenizer, unanswered } = progress
      progress.finished = true
      // Interrupted before it was kept, which cannot be.
      if (finished || hold === undefined) return Effect.void
      const isDelivered = spoken !== undefined && spoken.output.text() !== ""
      const paid = isDelivered
        ? settle(input, hold, spoken, ended, tokenizer)
        : Effect.andThen(hold.release, share.giveBack(held.amount))
      const isAbandoned = !isDelivered && ended === "stopped" && !unanswered
      const released = isAbandoned
        ? Effect.andThen(paid, abandoned.note({ payer: held.userId, source, askedFrom }))
        : paid
      const work = spoken === undefined ? released : storeThenEnd(storeEnd(spoken, ended, kept), released, held.key)
      return finishSoon(work, held.key)
    }).pipe(Effect.uninterruptible)

  /** The text as it is delivered. Failures, the end and an interruption finish the reply before they are passed on. */
  const deliver = ({ opened, output }: Spoken, hold: ReplyHold, finish: (ended: ReplyEnd) => Effect.Effect<void>) => {
    const { call, nextText, reported } = opened
    let isCut = false
    const failed = (reason: ModelFailure) =>
      Effect.failSync(() => new ModelFailed({ model: call.request.model.id, reason, retryable: reason !== "overlong" }))
    const handOn = (text: string): Delivery => {
      if (hold.isLost()) return failed("cut-off")
      const taken = output.take(text)
      isCut = taken.isCut
      return taken.text === "" ? failed("overlong") : Effect.succeed([taken.text])
    }
    const onExit = (exit: Exit.Exit<readonly [string], ModelFailed | Cause.Done>): Effect.Effect<void> => {
      if (Exit.isSuccess(exit)) return Effect.void
      if (Pull.isDoneCause(exit.cause)) return finish(reported.end?.reason ?? "failed")
      if (Cause.hasInterruptsOnly(exit.cause)) return finish("stopped")
      return Effect.andThen(countCause(call, exit.cause), finish("failed"))
    }
    const next: Delivery = Effect.onExit(Effect.flatMap(nextText, handOn), onExit)
    const cut: Delivery = Effect.onExit(failed("overlong"), onExit)
    return Stream.fromPull(Effect.succeed(Effect.suspend(() => (isCut ? cut : next))))
  }

  return Effect.fnUntraced(function* (
    input: MeteredReplyInput
  ): Effect.fn.Return<MeteredReply, ModelFailed, Scope.Scope> {
    const tokenizer = yield* Tokenizer
    const progress: Progress = { tokenizer, spoken: undefined, finished: false, unanswered: false, hold: undefined }
    const finish = (ended: ReplyEnd) => finishReply(input, progress, ended)
    yield* Effect.addFinalizer(() => finish("stopped"))
    const { hold: held, spending } = input
    const hold = yield* keepReplyHold({ hold: held, spending, progress: () => progressOf(input, progress) })
    progress.hold = hold

    const opened = yield* Effect.interruptible(openReply(input.calls)).pipe(
      Effect.tapError(() => Effect.sync(() => (progress.unanswered = true)))
    )
    const { maxOutputTokens, model } = opened.call.request
    const turn = { ...input.turn, reply: { ...input.turn.reply, model: model.id } }
    const turnStored = yield* Effect.forkDetach(Effect.uninterruptible(retryStorage(chats.beginTurn(turn))))
    progress.spoken = { opened, output: replyOutput(maxOutputTokens, tokenizer), turn, turnStored }
    return { model: model.id, text: deliver(progress.spoken, hold, finish) }
  })
})
