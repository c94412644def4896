import { Effect, Semaphore, Exit, Fiber } from "effect"
import { type Hold, type HoldEnd, type HoldName, type HoldProgress } from "../../credits/holds/Hold.ts"
import { restKey } from "../../credits/rules/decideReply.ts"
import { HoldTtl, endSurely } from "../../credits/holds/keepHolds.ts"
import type { ReplyReceiptDraft, ReplyEnd } from "../../credits/Transaction.ts"
import { release, reserve } from "../../credits/rules/decideHold.ts"
import { NOTHING_PAID, paidWith, settleReply, unpaidOf } from "../../credits/rules/decideReply.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { failureFields } from "../../storage/failureFields.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import { type ReplyCharge, replyCharge } from "./replyCredits.ts"
import type { ModelCall } from "../../models/replyStream.ts"
import type { OpenedReply, ReplyParties, RevisedReply } from "./Reply.ts"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { noteUsageAboveHold } from "../../models/modelMetrics.ts"
import type { ReplyOutput } from "./ReplyText.ts"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"
import { AbandonedTries } from "../limits/chatLimits.ts"
import type { BeginTurnInput } from "../store/ChatStore.ts"
import type { GrantedShare } from "../limits/dailyShares.ts"
import type { EndTurn } from "./RunningReplies.ts"

/**
 * The payment of a reply: its hold or, if a sweeper ended that hold because the process seemed dead, another hold for
 * the rest.
 */
export type ReplyPayment = ReturnType<Effect.Success<typeof makeReplyPayments>>

const REPLACED = "The hold of an open reply was ended by a sweeper; credits for the rest of the reply were held anew."
const LOST =
  "The hold of an open reply was ended by a sweeper, and balance or daily cap do not pay the rest; the reply is cut off."
const REPEATED =
  "The hold of an open reply was ended by a sweeper, and its request came again; the late reply is neither stored nor charged."
const NOT_REPLACED = "A hold that is gone could not be replaced; trying at the next heartbeat."

/** Makes the functions that replace the lost hold of a reply by a hold for its rest. */
const makeReplaceHold = Effect.gen(function* () {
  const { run } = yield* CreditLedger
  const ids = yield* IdGenerator
  const ttlMs = yield* HoldTtl
  return {
    /** Returns the end of a hold that another call ended; releasing such a hold again changes nothing. */
    endOf: (gone: HoldName) =>
      Effect.catchTag(run(release(gone)), "HoldNotFound", () => Effect.succeed<HoldEnd>({ _tag: "Released" })),
    holdRest: (
      { key, userId }: HoldName,
      amount: number,
      { dailyCap, source }: Pick<ReplyParties, "source" | "dailyCap">,
      draft: ReplyReceiptDraft
    ) =>
      Effect.flatMap(ids.next, (id) =>
        run(
          reserve({ userId, key, fingerprint: key, amount, minimumAmount: amount, source, dailyCap, ttlMs, draft }, id)
        )
      ).pipe(
        // Without an open hold, the person may have been erased, or a repetition of the request may have replaced the
        // reply.
        Effect.catchTag(["DailyCapReached", "AccountNotFound", "KeyConflict"], () =>
          Effect.succeed({ _tag: "Refused" } as const)
        ),
        Effect.catchTag("InvalidAmount", Effect.die)
      )
  }
})

/**
 * Manages the payment of a reply. If a sweeper has ended the hold, holds credits again for the rest of the reply; if
 * the balance or the daily cap does not allow that, the reply has to end. At the end, the delivered text is charged as
 * far as the balance allows; the credits that a sweeper charged are part of the price.
 */
export const makeReplyPayments = Effect.gen(function* () {
  const { run } = yield* CreditLedger
  const { endOf, holdRest } = yield* makeReplaceHold

  return (first: Hold, spending: Pick<ReplyParties, "source" | "dailyCap">) => {
    const { amount: bound, userId } = first
    /** Ensures that a new hold and the end of the payment never run at the same time. */
    const turn = Semaphore.makeUnsafe(1)
    let key = first.key
    let place = 0
    let paid = NOTHING_PAID
    let lost = false
    let ended = false

    const replace = Effect.fnUntraced(function* (gone: string, draft: ReplyReceiptDraft) {
      if (ended || lost || key !== gone) return
      const nextKey = restKey(first.key, place + 1)
      const before = paidWith(paid, yield* endOf({ userId, key: gone }))
      const left = bound - before.credits
      const reserved =
        left > 0 ? yield* holdRest({ userId, key: nextKey }, left, spending, unpaidOf(draft, before)) : undefined
      if (reserved?._tag !== "Held") {
        lost = true
        return yield* Effect.annotateLogs(Effect.logWarning(LOST), { hold: first.key })
      }
      key = nextKey
      place += 1
      paid = before
      yield* Effect.annotateLogs(Effect.logWarning(REPLACED), { hold: first.key })
    })

    return {
      /**
       * Returns true if the reply has to end: no hold pays for the rest, or a repetition of the request has replaced
       * it.
       */
      isLost: () => lost,
      /**
       * Returns the progress of the reply for a heartbeat. Includes the draft of the whole reply's receipt if the draft
       * is more exact than that of the reservation.
       */
      progress: (outputTokens: number, isBetterKnown: boolean, draft: () => ReplyReceiptDraft): HoldProgress => ({
        userId,
        key,
        outputTokens: Math.max(0, outputTokens - paid.usage.output),
        draft: isBetterKnown || place > 0 ? unpaidOf(draft(), paid) : undefined
      }),
      /** Holds credits for the rest of the reply after a heartbeat found that the hold `gone` has ended. */
      replace: (gone: string, draft: ReplyReceiptDraft) =>
        retryStorage(replace(gone, draft)).pipe(
          Effect.catch((failed) => Effect.annotateLogs(Effect.logWarning(NOT_REPLACED), failureFields(failed))),
          turn.withPermit,
          Effect.uninterruptible
        ),
      /**
       * Ends the payment in one commit with the end of the turn: charges the reply, or releases the hold if there is no
       * charge. No credits are held for the reply afterwards.
       */
      end: Effect.fnUntraced(function* (charge: ReplyCharge | undefined, companion: EndTurn | undefined) {
        ended = true
        if (charge === undefined) return yield* run({ ...release({ userId, key }), companion })
        const rest = restKey(first.key, place + 1)
        const paying = { userId, key, rest, source: spending.source, bound, before: paid }
        return yield* run({ ...settleReply({ ...paying, cost: charge.amount, draft: charge.draft }), companion })
      }, turn.withPermit)
    }
  }
})

export interface RunReplyInput {
  /** The calls of the chosen model and of the models that may answer instead; the hold covers each of them. */
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly hold: Hold
  /**
   * Rewrites the question, which the hold also covers, before a model is asked for the reply. Returns undefined if the
   * rewrite fails or takes too long; then the reply is made from the original prompt.
   */
  readonly revise?: Effect.Effect<RevisedReply | undefined> | undefined
  /** The credits that the daily shares of the bot and the address granted to the reply. */
  readonly share: GrantedShare
  /** The spender of the credits and its daily cap, and the visitor's address. */
  readonly spending: Pick<ReplyParties, "source" | "dailyCap" | "askedFrom">
  /** The turn to store; its model is replaced by the model that answers. */
  readonly turn: BeginTurnInput
  /** True if the reply continues when its reader leaves, and other readers may join it. */
  readonly joinable: boolean
  /** The payer's tier, if the reply begins a chat for which a title is generated; otherwise undefined. */
  readonly titledOn: TierName | undefined
}

/**
 * The state of a reply after its first words: the call of the model, the delivered text, and the storing of its turn.
 */
export interface SpokenReply {
  readonly opened: OpenedReply
  readonly output: ReplyOutput
  /** The turn with the running record of its reply. */
  readonly turn: BeginTurnInput
  /** The fiber that stores the turn. */
  readonly beginning: Fiber.Fiber<void, unknown>
}

export interface EndReplyInput {
  readonly input: RunReplyInput
  readonly payment: ReplyPayment
  /** Undefined if no model sent text. */
  readonly spoken: SpokenReply | undefined
  /** `unanswered` if every model failed before its first words. */
  readonly ended: ReplyEnd | "unanswered"
  /** Stops the heartbeats of the reply. */
  readonly stopKeeping: Effect.Effect<void>
  readonly tokenizer: TokenizerService
}

/**
 * Ends a reply; no other code does. One operation of the ledger, in one commit with the end of the turn:
 *
 * - nothing was delivered: the hold is released; if the reader left, an abandoned try is counted;
 * - complete: charged by the vendor's figures, up to the hold; if the vendor reported none, counted from the text and
 *   marked as estimated;
 * - failed or abandoned half-way: charged for the input (as the vendor counted it, if it reported that early) and for
 *   the delivered text, and marked as estimated. The connection to the vendor is closed at once, so that its bill ends
 *   too.
 *
 * If a sweeper ended the hold, nothing had been delivered, and a repetition of the request has begun another reply,
 * this reply is neither charged nor stored: the next sweep ends its message as failed.
 *
 * The work is retried until the storage accepts it (`endSurely`), and the heartbeats continue until then. Never fails;
 * returns the fiber that does the work, which may run as long as the storage is down.
 */
export const makeEndReply = Effect.gen(function* () {
  const abandoned = yield* AbandonedTries

  /** Returns the end of the turn; undefined if nothing of the turn is stored. */
  const endOfTurn = Effect.fnUntraced(function* ({ ended, input: { joinable, turn }, spoken }: EndReplyInput) {
    if (spoken === undefined && !joinable) return undefined
    // Waits for a running attempt to begin the turn, and prevents further attempts.
    if (spoken !== undefined) yield* Fiber.interrupt(spoken.beginning)
    const isBegun = spoken === undefined || Exit.isSuccess(yield* Fiber.await(spoken.beginning))
    const { chatId, owner, reply } = turn
    const begin = isBegun ? undefined : { ...spoken.turn, running: undefined }
    const isComplete = ended === "completed" || ended === "length"
    return {
      _tag: "EndTurn",
      owner,
      chatId,
      replyId: reply.id,
      content: spoken?.output.text() ?? "",
      state: isComplete ? "complete" : ended === "stopped" ? "stopped" : "failed",
      begin
    } satisfies EndTurn
  })

  return Effect.fnUntraced(function* (reply: EndReplyInput) {
    const { ended, payment, spoken, stopKeeping, tokenizer } = reply
    const { hold, share, spending, turn } = reply.input
    if (spoken !== undefined) {
      yield* spoken.opened.observed.write(spoken.output.text())
      // Closes the vendor's stream in another fiber: a stream that cannot be closed must not keep the credits held.
      yield* Effect.forkDetach(spoken.opened.leave, { startImmediately: true })
    }
    const isDelivered = spoken !== undefined && spoken.output.text() !== "" && ended !== "unanswered"
    const charge = isDelivered ? replyCharge(spoken.opened, spoken.output, ended, turn.chatId, tokenizer) : undefined
    const work = Effect.gen(function* () {
      const taken = yield* payment.end(charge, yield* endOfTurn(reply)).pipe(
        Effect.as(Math.min(charge?.amount ?? 0, hold.amount)),
        Effect.catchTag("KeyConflict", () =>
          Effect.as(Effect.annotateLogs(Effect.logWarning(REPEATED), { hold: hold.key }), 0)
        )
      )
      yield* Effect.annotateCurrentSpan("parley.credits.charged", taken)
      yield* share.giveBack(hold.amount - taken)
    })
    const settling = Effect.withSpan(work, "credits.settle", { attributes: { "parley.credits.held": hold.amount } })
    const ending = yield* endSurely(settling, hold.key, stopKeeping)
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
