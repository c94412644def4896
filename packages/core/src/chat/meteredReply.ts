import { Cause, Effect, Exit, Fiber, Pull, type Scope, Stream } from "effect"
import type { CreditLedger, Hold } from "../credits/CreditLedger.ts"
import { priceOf } from "../credits/price.ts"
import type { ReplyEnd } from "../credits/Receipt.ts"
import type { Usage } from "../credits/Usage.ts"
import { modelPrice } from "../tiers/Model.ts"
import { type ChatModel, type ChatModelRequest, ModelFailed, type ModelFailure, type ReplyPart } from "./ChatModel.ts"
import type { BeginTurnInput, ChatStore } from "./ChatStore.ts"
import { retryStorage } from "./retryStorage.ts"
import { estimateTokens } from "./tokens.ts"

export interface MeteredReplyInput {
  readonly ledger: CreditLedger["Service"]
  readonly chats: ChatStore["Service"]
  readonly model: ChatModel
  readonly request: ChatModelRequest
  readonly hold: Hold
  readonly turn: BeginTurnInput
}

/** What a message costs beside its text, where no provider told the count. */
const MESSAGE_TOKENS = 4

/** What is known of a reply so far. */
interface Progress {
  /** Text handed to the reader. */
  delivered: string
  end: Extract<ReplyPart, { readonly _tag: "end" }> | undefined
  turnStored: Fiber.Fiber<void, unknown> | undefined
  finished: boolean
}

/**
 * Opens a reply that is paid by `hold`: gives its text once the first words have arrived, and settles exactly once,
 * whichever comes first of its end, its failure and the closing of the scope.
 *
 * - nothing delivered: the hold is released, nothing is stored;
 * - complete: charged by the provider's figures, or counted from the text and marked estimated where it told none;
 * - failed or left half-way: charged for the input and for what was delivered.
 *
 * The turn is stored from the first words on, beside the stream. May be called in an uninterruptible region, so that
 * nothing comes between holding the credits and owning the hold: waiting for the first words can be interrupted still.
 */
export const meteredReply = Effect.fnUntraced(function* (
  input: MeteredReplyInput
): Effect.fn.Return<Stream.Stream<string, ModelFailed>, ModelFailed, Scope.Scope> {
  const progress: Progress = { delivered: "", end: undefined, turnStored: undefined, finished: false }
  const finish = (ended: ReplyEnd) => finishReply(input, progress, ended)
  yield* Effect.addFinalizer(() => finish("stopped"))

  const failed = (reason: ModelFailure) =>
    Effect.fail(new ModelFailed({ model: input.request.model.id, reason, retryable: true }))
  const parts = yield* Stream.toPull(input.model.stream(input.request))
  const pullParts = Pull.catchDone(parts, () => failed("cut-off"))
  const pullText = Effect.fnUntraced(function* () {
    while (progress.end === undefined) {
      const text = takeText(yield* pullParts, progress)
      if (text !== "") return text
    }
    return yield* Cause.done()
  })

  const first = yield* pullText().pipe(
    Pull.catchDone(() => failed("empty")),
    Effect.interruptible
  )
  progress.delivered = first
  progress.turnStored = yield* Effect.forkDetach(
    Effect.uninterruptible(retryStorage(input.chats.beginTurn(input.turn)))
  )

  let pending: string | undefined = first
  const next = Effect.suspend(() => {
    if (pending !== undefined) {
      const text = pending
      pending = undefined
      return Effect.succeed([text] as const)
    }
    return pullText().pipe(
      Effect.map((text) => {
        progress.delivered += text
        return [text] as const
      }),
      Effect.onExit((exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        if (Pull.isDoneCause(exit.cause)) return finish(progress.end?.reason ?? "failed")
        return finish(Cause.hasInterruptsOnly(exit.cause) ? "stopped" : "failed")
      })
    )
  })
  return Stream.fromPull(Effect.succeed(next))
})

/** The text of a batch of parts; notes the end, after which nothing counts. */
const takeText = (parts: ReadonlyArray<ReplyPart>, progress: Progress): string => {
  let text = ""
  for (const part of parts) {
    if (part._tag === "end") {
      progress.end = part
      break
    }
    text += part.text
  }
  return text
}

/** Settles or releases the hold and stores what the reply became; does so once, and never fails. */
const finishReply = (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (progress.finished) return Effect.void
    progress.finished = true
    const { userId, key } = input.hold
    if (progress.delivered === "") return endQuietly(input.ledger.release({ userId, key }), "release", key)
    const settled = input.ledger.settle({ userId, key, ...charge(input, progress, ended) })
    return Effect.all(
      [endQuietly(settled, "settle", key), endQuietly(storeEnd(input, progress, ended), "store", key)],
      {
        concurrency: 2,
        discard: true
      }
    )
  }).pipe(Effect.uninterruptible)

/** What the reply costs: the provider's figures where it told them, else a count of what was sent and delivered. */
const charge = (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd) => {
  const { model, messages, maxOutputTokens } = input.request
  const told = progress.end?.usage
  const counted: Usage = {
    freshInput: messages.reduce((tokens, message) => tokens + estimateTokens(message.content) + MESSAGE_TOKENS, 0),
    cacheRead: 0,
    cacheWrite: 0,
    output: Math.min(estimateTokens(progress.delivered), maxOutputTokens)
  }
  const usage = told ?? counted
  return {
    amount: priceOf(usage, model),
    draft: { model: model.id, price: modelPrice(model), usage, estimated: told === undefined, ended }
  }
}

const storeEnd = Effect.fnUntraced(function* (input: MeteredReplyInput, progress: Progress, ended: ReplyEnd) {
  if (progress.turnStored !== undefined) yield* Fiber.join(progress.turnStored)
  const { userId, chatId, reply } = input.turn
  const state = ended === "completed" || ended === "length" ? "complete" : ended === "stopped" ? "stopped" : "failed"
  yield* input.chats.endTurn({ userId, chatId, replyId: reply.id, content: progress.delivered, state })
})

/** The reader already has the text: a store that stays down is reported, and the hold is left to the sweeper. */
const endQuietly = <A>(work: Effect.Effect<A, unknown>, step: string, key: string): Effect.Effect<void> =>
  retryStorage(work).pipe(
    Effect.asVoid,
    Effect.catchCause((cause) =>
      Effect.logError(`A reply could not be ended completely (${step}).`).pipe(
        Effect.annotateLogs({
          hold: key,
          failure: Cause.squash(cause) instanceof Error ? (Cause.squash(cause) as Error).name : "unknown"
        })
      )
    )
  )
