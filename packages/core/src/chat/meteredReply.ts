import { Cause, Effect, Exit, Fiber, Option, Pull, type Scope, Stream } from "effect"
import type { CreditOperations } from "../credits/CreditOperations.ts"
import type { Hold } from "../credits/holds/Hold.ts"
import type { HoldHeartbeat } from "../credits/holds/HoldHeartbeat.ts"
import type { UsageSource } from "../credits/UsageSource.ts"
import type { ReceiptDraft, ReplyEnd } from "../credits/Receipt.ts"
import type { AbandonedTries } from "./AbandonedTries.ts"
import { ModelFailed } from "../models/ChatModel.ts"
import type { BeginTurnInput, ChatStore } from "./ChatStore.ts"
import { countGrowing } from "../tokens/countGrowing.ts"
import { countFailure, noteUsageAboveHold } from "../models/modelMetrics.ts"
import { type OpenedReply, openReply, type ModelCall } from "./openReply.ts"
import { lostReplyDraft, replyCharge } from "./replyCharge.ts"
import { finishSoon, storeThenEnd } from "./endHold.ts"
import { keepReplyHold, type ReplyHold } from "./replyHold.ts"
import { retryStorage } from "../storage/retryStorage.ts"

export interface MeteredReplyInput {
  readonly credits: CreditOperations["Service"]
  readonly heartbeat: HoldHeartbeat["Service"]
  readonly chats: ChatStore["Service"]
  readonly abandoned: AbandonedTries["Service"]
  /** The model that was chosen, then those that may answer instead: the hold covers each. */
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly hold: Hold
  /** What the credits are spent by. */
  readonly source: UsageSource
  /** The model of the reply is the one that answers. */
  readonly turn: BeginTurnInput
}

/** A reply whose first words have arrived, and the public id of the model that writes it. */
export interface MeteredReply {
  readonly model: string
  readonly text: Stream.Stream<string, ModelFailed>
}

/** What is known of a reply so far. */
interface Progress {
  /** Text handed to the reader. */
  delivered: string
  opened: OpenedReply | undefined
  /** What charges the reply should this process die. */
  lostDraft: ReceiptDraft
  /** That is better known than when the credits were reserved. */
  isBetterKnown: boolean
  turnStored: { readonly turn: BeginTurnInput; readonly done: Fiber.Fiber<void, unknown> } | undefined
  finished: boolean
  /** No model spoke: the reader has left nothing. */
  unanswered: boolean
  /** The credits that pay it. */
  hold: ReplyHold | undefined
}

/**
 * Opens a reply that is paid by `hold`: gives its text once the first words have arrived, and settles exactly once,
 * whichever comes first of its end, its failure and the closing of the scope.
 *
 * - nothing delivered: the hold is released; where the reader left, the try is counted as abandoned;
 * - complete: charged by the provider's figures, up to the hold, or counted from the text and marked estimated where it
 *   reported none;
 * - failed or left half-way: charged for the input, as the provider counted it where it reported so early, and for what
 *   was delivered; marked estimated. The provider is left at once, so that its own bill ends there too.
 *
 * Heartbeats keep the hold and record what was delivered, for the case that the process dies. One that finds the hold
 * ended by a sweeper holds the rest anew; where the balance has too little, the reply is cut off. The turn is stored from
 * the first words on, beside the stream. May be called in an uninterruptible region, so that nothing comes between
 * holding the credits and owning the hold: waiting for the first words can be interrupted still.
 */
export const meteredReply = Effect.fnUntraced(function* (
  input: MeteredReplyInput
): Effect.fn.Return<MeteredReply, ModelFailed, Scope.Scope> {
  const progress: Progress = {
    delivered: "",
    opened: undefined,
    lostDraft: lostReplyDraft({ call: input.calls[0], reported: { inputUsage: undefined, end: undefined } }),
    isBetterKnown: false,
    turnStored: undefined,
    finished: false,
    unanswered: false,
    hold: undefined
  }
  const finish = (ended: ReplyEnd) => finishReply(input, progress, ended)
  yield* Effect.addFinalizer(() => finish("stopped"))
  const count = countGrowing()
  const hold = yield* keepReplyHold({
    ...input,
    progress: () => {
      const { delivered, isBetterKnown, lostDraft: draft, opened } = progress
      const outputTokens = Math.min(count(delivered), opened?.call.request.maxOutputTokens ?? 0)
      return { outputTokens, draft, isBetterKnown }
    }
  })
  progress.hold = hold

  const opened = yield* Effect.interruptible(openReply(input.calls)).pipe(
    Effect.tapError(() => Effect.sync(() => (progress.unanswered = true)))
  )
  const { call, firstText, nextText, reported } = opened
  const model = call.request.model.id
  const turn = { ...input.turn, reply: { ...input.turn.reply, model } }
  progress.opened = opened
  progress.lostDraft = lostReplyDraft(opened)
  progress.isBetterKnown = call !== input.calls[0] || reported.inputUsage !== undefined
  const stored = Effect.uninterruptible(retryStorage(input.chats.beginTurn(turn)))
  progress.turnStored = { turn, done: yield* Effect.forkDetach(stored) }

  let pending: string | undefined = firstText
  const next = Effect.suspend(() => {
    if (pending !== undefined) {
      const text = pending
      pending = undefined
      progress.delivered = text
      return Effect.succeed([text] as const)
    }
    return nextText.pipe(
      Effect.flatMap((text) => {
        if (hold.isLost()) return Effect.fail(new ModelFailed({ model, reason: "cut-off", retryable: true }))
        progress.delivered += text
        return Effect.succeed([text] as const)
      }),
      Effect.onExit((exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        if (Pull.isDoneCause(exit.cause)) return finish(reported.end?.reason ?? "failed")
        if (Cause.hasInterruptsOnly(exit.cause)) return finish("stopped")
        return Effect.andThen(countCause(call, exit.cause), finish("failed"))
      })
    )
  })
  return { model, text: Stream.fromPull(Effect.succeed(next)) }
})

const countCause = ({ provider }: ModelCall, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof ModelFailed ? countFailure(provider.name, error) : Effect.void
}

/** Settles or releases the hold and stores what the reply became; does so once, and never fails. */
const finishReply = (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (progress.finished) return Effect.void
    progress.finished = true
    return endReply(input, progress, ended)
  }).pipe(Effect.uninterruptible)

const endReply = (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { opened, delivered, unanswered } = progress
    const { userId, key } = input.hold
    const isAbandoned = delivered === "" && ended === "stopped" && !unanswered
    const { hold } = progress
    // Interrupted before it was kept, which cannot be.
    if (hold === undefined) return Effect.void
    const paid = opened === undefined || delivered === "" ? hold.release : settle(input, hold, delivered, opened, ended)
    const released = isAbandoned
      ? Effect.andThen(paid, input.abandoned.note({ payer: userId, source: input.source }))
      : paid
    if (opened === undefined) return finishSoon(released, key)
    return finishSoon(storeThenEnd(storeEnd(input, progress, ended), released, key), key)
  })

/** Takes what the reply costs from its hold. A usage that costs more than the hold is logged and counted. */
const settle = (
  input: MeteredReplyInput,
  hold: ReplyHold,
  delivered: string,
  opened: OpenedReply,
  ended: ReplyEnd
): Effect.Effect<void> => {
  const { key, amount: held } = input.hold
  const { amount, draft } = replyCharge(opened, delivered, ended)
  const settled = hold.settle(amount, draft)
  if (amount <= held) return settled
  const excess = { hold: key, model: draft.model, vendor: opened.call.provider.name, cost: amount, held }
  return Effect.andThen(settled, noteUsageAboveHold(excess))
}

const storeEnd = Effect.fnUntraced(function* (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd) {
  if (progress.turnStored !== undefined) {
    const { turn, done } = progress.turnStored
    // Stored once, however often it is asked.
    if (Exit.isFailure(yield* Fiber.await(done))) yield* input.chats.beginTurn(turn)
  }
  const { owner, chatId, reply } = input.turn
  const state = ended === "completed" || ended === "length" ? "complete" : ended === "stopped" ? "stopped" : "failed"
  yield* input.chats.endTurn({ owner, chatId, replyId: reply.id, content: progress.delivered, state })
})
