import { Effect, Exit, Fiber } from "effect"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { endSurely } from "../../credits/holds/keepHolds.ts"
import type { Hold } from "../../credits/holds/Hold.ts"
import type { ReplyEnd } from "../../credits/Receipt.ts"
import { noteUsageAboveHold } from "../../models/modelMetrics.ts"
import type { ReplyOutput } from "../../models/replyOutput.ts"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"
import { AbandonedTries } from "../limits/AbandonedTries.ts"
import type { BeginTurnInput } from "../store/ChatStore.ts"
import type { GrantedShare } from "../limits/dailyShares.ts"
import type { ModelCall, OpenedReply } from "./openReply.ts"
import type { ReplyParties } from "./ReplyParties.ts"
import type { ReplyPayment } from "./ReplyPayment.ts"
import { replyCharge } from "./replyPrice.ts"
import type { EndTurn } from "./RunningReplies.ts"

export interface RunReplyInput {
  /** The model that was chosen, then those that may answer instead: the hold covers each. */
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly hold: Hold
  /** What the reply was counted with on its bot and address. */
  readonly share: GrantedShare
  /** What spends the credits, and the most that it may spend in a day. */
  readonly spending: Pick<ReplyParties, "source" | "dailyCap" | "askedFrom">
  /** The model of the reply is the one that answers. */
  readonly turn: BeginTurnInput
  /** It goes on when its reader leaves, and others may join it. */
  readonly joinable: boolean
}

/** A model that speaks: what it has reported, what was delivered of it, and the storing of its turn. */
export interface SpokenReply {
  readonly opened: OpenedReply
  readonly output: ReplyOutput
  /** With its running record. */
  readonly turn: BeginTurnInput
  /** Stores the turn. */
  readonly beginning: Fiber.Fiber<void, unknown>
}

export interface EndReplyInput {
  readonly input: RunReplyInput
  readonly payment: ReplyPayment
  /** Undefined if no model spoke. */
  readonly spoken: SpokenReply | undefined
  /** `unanswered` if every model failed before its first words. */
  readonly ended: ReplyEnd | "unanswered"
  /** Ends the heartbeats. */
  readonly stopKeeping: Effect.Effect<void>
  readonly tokenizer: TokenizerService
}

const stateOf = (ended: EndReplyInput["ended"]): EndTurn["state"] =>
  ended === "completed" || ended === "length" ? "complete" : ended === "stopped" ? "stopped" : "failed"

/**
 * Ends a reply, the one place where that happens. One operation of the ledger, in one commit with the end of the turn:
 *
 * - nothing delivered: the hold is released; if its reader left, the try is counted as abandoned;
 * - complete: charged by the provider's figures, up to the hold, or counted from the text and marked estimated if it
 *   reported none;
 * - failed or left half-way: charged for the input, as the provider counted it if it reported so early, and for what was
 *   delivered; marked estimated. The provider is left at once, so that its own bill ends there too.
 *
 * It is tried again until the storage takes it (`endSurely`), with the heartbeats going on. Never fails; returns the fiber
 * that tries it, which may go on for as long as the storage is down.
 */
export const makeEndReply = Effect.gen(function* () {
  const abandoned = yield* AbandonedTries
  const ledger = yield* CreditLedger

  /** What becomes of the turn; undefined if nothing is stored of it. */
  const endOfTurn = Effect.fnUntraced(function* ({ ended, input: { joinable, turn }, spoken }: EndReplyInput) {
    if (spoken === undefined && !joinable) return undefined
    // An attempt to begin the turn that is under way is waited for; another one is not made.
    if (spoken !== undefined) yield* Fiber.interrupt(spoken.beginning)
    const isBegun = spoken === undefined || Exit.isSuccess(yield* Fiber.await(spoken.beginning))
    const { chatId, owner, reply } = turn
    const begin = isBegun ? undefined : { ...spoken.turn, running: undefined }
    const content = spoken?.output.text() ?? ""
    return {
      _tag: "EndTurn",
      owner,
      chatId,
      replyId: reply.id,
      content,
      state: stateOf(ended),
      begin
    } satisfies EndTurn
  })

  return Effect.fnUntraced(function* (reply: EndReplyInput) {
    const { ended, payment, spoken, stopKeeping, tokenizer } = reply
    const { hold, share, spending, turn } = reply.input
    // A vendor's stream that cannot be closed must not keep the credits held.
    if (spoken !== undefined) yield* Effect.forkDetach(spoken.opened.leave, { startImmediately: true })
    const isDelivered = spoken !== undefined && spoken.output.text() !== "" && ended !== "unanswered"
    const charge = isDelivered ? replyCharge(spoken.opened, spoken.output, ended, turn.chatId, tokenizer) : undefined
    const work = Effect.flatMap(endOfTurn(reply), (companion) =>
      payment.end(charge, (operation) => ledger.run({ ...operation, companion }))
    ).pipe(Effect.andThen(share.giveBack(hold.amount - (charge?.amount ?? 0))))
    const ending = yield* endSurely(work, hold.key, stopKeeping)
    if (charge !== undefined && charge.amount > hold.amount) {
      const { draft, vendor } = charge
      yield* noteUsageAboveHold({ hold: hold.key, model: draft.model, vendor, cost: charge.amount, held: hold.amount })
    }
    if (charge === undefined && ended === "stopped") {
      const { askedFrom, source } = spending
      yield* abandoned.note({ payer: hold.userId, source, askedFrom })
    }
    return ending
  })
})
