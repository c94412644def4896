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

/** The payment of a reply: its hold or, if a sweeper took its process for dead, another hold for the rest. */
export type ReplyPayment = ReturnType<Effect.Success<typeof makeReplyPayments>>

const REPLACED = "The hold of an open reply was ended by a sweeper; credits for the rest of the reply were held anew."
const LOST =
  "The hold of an open reply was ended by a sweeper, and balance or daily cap do not pay the rest; the reply is cut off."
const REPEATED =
  "The hold of an open reply was ended by a sweeper, and its request came again; the late reply is neither stored nor charged."
const NOT_REPLACED = "A hold that is gone could not be replaced; trying at the next heartbeat."

/** Replaces a lost hold by one for the rest of its reply. */
const makeReplaceHold = Effect.gen(function* () {
  const { run } = yield* CreditLedger
  const ids = yield* IdGenerator
  const ttlMs = yield* HoldTtl
  return {
    /** The end of a hold that another call ended: releasing it changes nothing. */
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
        // A person without open holds may have been erased, and a repetition of the request may have replaced the
        // reply.
        Effect.catchTag(["DailyCapReached", "AccountNotFound", "KeyConflict"], () =>
          Effect.succeed({ _tag: "Refused" } as const)
        ),
        Effect.catchTag("InvalidAmount", Effect.die)
      )
  }
})

/**
 * Keeps the payment of a reply. If a sweeper has ended the hold, credits for the rest of the reply are held anew; if
 * balance or daily cap have no room for it, the reply ends. In the end the delivered text is paid as far as there are
 * credits; the credits that a sweeper charged are part of the price.
 */
export const makeReplyPayments = Effect.gen(function* () {
  const { run } = yield* CreditLedger
  const { endOf, holdRest } = yield* makeReplaceHold

  return (first: Hold, spending: Pick<ReplyParties, "source" | "dailyCap">) => {
    const { amount: bound, userId } = first
    /** Permits one at a time: holding credits again, and ending. */
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
      /** Nothing pays for the rest, or a repetition of the request has replaced the reply: the reply has to end. */
      isLost: () => lost,
      /**
       * The progress of the reply, as a heartbeat records it, with the draft of the whole reply's receipt if that is
       * known better by now.
       */
      progress: (outputTokens: number, isBetterKnown: boolean, draft: () => ReplyReceiptDraft): HoldProgress => ({
        userId,
        key,
        outputTokens: Math.max(0, outputTokens - paid.usage.output),
        draft: isBetterKnown || place > 0 ? unpaidOf(draft(), paid) : undefined
      }),
      /** A heartbeat found this hold ended: holds credits for the rest. */
      replace: (gone: string, draft: ReplyReceiptDraft) =>
        retryStorage(replace(gone, draft)).pipe(
          Effect.catch((failed) => Effect.annotateLogs(Effect.logWarning(NOT_REPLACED), failureFields(failed))),
          turn.withPermit,
          Effect.uninterruptible
        ),
      /**
       * Takes the charge or, without one, releases the hold, in one commit with the end of the turn. Nothing is held
       * again after that.
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
  /** The model that was chosen, then those that may answer instead: the hold covers each. */
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly hold: Hold
  /**
   * Rewrites the question, which the hold covers, before a model is asked for the reply. Undefined if that fails or
   * takes too long: the reply is then as it was prepared.
   */
  readonly revise?: Effect.Effect<RevisedReply | undefined> | undefined
  /** The amounts that were counted for the reply on its bot and its address. */
  readonly share: GrantedShare
  /** The spender of the credits, and the most that it may spend in a day. */
  readonly spending: Pick<ReplyParties, "source" | "dailyCap" | "askedFrom">
  /** The model of the reply is the one that answers. */
  readonly turn: BeginTurnInput
  /** It goes on when its reader leaves, and others may join it. */
  readonly joinable: boolean
  /** The payer's tier, if the reply begins a chat that gets a generated title. */
  readonly titledOn: TierName | undefined
}

/** A model that is writing: the vendor's reports so far, the delivered text, and the storing of its turn. */
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

/**
 * Ends a reply, the one place where that happens. One operation of the ledger, in one commit with the end of the turn:
 *
 * - nothing delivered: the hold is released; if its reader left, the try is counted as abandoned;
 * - complete: charged by the provider's figures, up to the hold, or counted from the text and marked estimated if it
 *   reported none;
 * - failed or left half-way: charged for the input, as the provider counted it if it reported so early, and for what
 *   was delivered; marked estimated. The provider is left at once, so that its own bill ends there too.
 *
 * If a sweeper ended the hold, nothing had been delivered, and a repetition of the request has begun another reply,
 * this one is neither charged nor stored: the next sweep ends its message as failed.
 *
 * It is tried again until the storage takes it (`endSurely`), with the heartbeats going on. Never fails; returns the
 * fiber that tries it, which may go on for as long as the storage is down.
 */
export const makeEndReply = Effect.gen(function* () {
  const abandoned = yield* AbandonedTries

  /** The end of the turn; undefined if nothing of it is stored. */
  const endOfTurn = Effect.fnUntraced(function* ({ ended, input: { joinable, turn }, spoken }: EndReplyInput) {
    if (spoken === undefined && !joinable) return undefined
    // An attempt to begin the turn that is running is awaited; another one is not made.
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
      // A vendor's stream that cannot be closed must not keep the credits held.
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
