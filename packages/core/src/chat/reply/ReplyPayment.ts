import { Effect, Semaphore } from "effect"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { type Hold, type HoldEnd, type HoldProgress, restKey } from "../../credits/holds/Hold.ts"
import { HoldTtl } from "../../credits/holds/keepHolds.ts"
import type { ReplyReceiptDraft } from "../../credits/Receipt.ts"
import { release, reserve, type SettleRefusal } from "../../credits/rules/decideHold.ts"
import { NOTHING_PAID, paidWith, settleReply, unpaidOf } from "../../credits/rules/decideReply.ts"
import type { Operation } from "../../credits/rules/LedgerState.ts"
import { IdGenerator } from "../../storage/IdGenerator.ts"
import { failureFields } from "../../storage/failureFields.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import type { ReplyCharge } from "./replyPrice.ts"
import type { ReplyParties } from "./ReplyParties.ts"

/** What pays a reply: its hold or, if a sweeper took its process for dead, another hold for the rest. */
export type ReplyPayment = ReturnType<Effect.Success<typeof makeReplyPayments>>

const REPLACED = "The hold of an open reply was ended by a sweeper; credits for the rest of the reply were held anew."
const LOST =
  "The hold of an open reply was ended by a sweeper, and balance or daily cap do not pay the rest; the reply is cut off."
const NOT_REPLACED = "A hold that is gone could not be replaced; trying at the next heartbeat."

/**
 * Keeps what pays a reply. If a sweeper has ended the hold, what the rest of the reply may cost is held anew; if balance or
 * daily cap have no room for it, the reply is lost. What was delivered is paid in the end as far as there are credits: what
 * a sweeper took is part of the price.
 */
export const makeReplyPayments = Effect.gen(function* () {
  const { run } = yield* CreditLedger
  const ids = yield* IdGenerator
  const ttlMs = yield* HoldTtl

  return (first: Hold, spending: Pick<ReplyParties, "source" | "dailyCap">) => {
    const { amount: bound, userId } = first
    const { dailyCap, source } = spending
    /** One after another: holding anew and ending. */
    const turn = Semaphore.makeUnsafe(1)
    let key = first.key
    let place = 0
    let paid = NOTHING_PAID
    let lost = false
    let ended = false

    const nextKey = () => restKey(first.key, place + 1)
    const holdRest = (amount: number, draft: ReplyReceiptDraft) =>
      Effect.flatMap(ids.next, (id) => {
        const fingerprint = nextKey()
        const asked = { userId, key: fingerprint, fingerprint, amount, minimumAmount: amount, source, dailyCap, ttlMs }
        return run(reserve({ ...asked, draft }, id))
      }).pipe(
        // A person without open holds may have been erased.
        Effect.catchTag(["DailyCapReached", "AccountNotFound"], () => Effect.succeed({ _tag: "Refused" } as const)),
        Effect.catchTag(["InvalidAmount", "KeyConflict"], Effect.die)
      )
    /** The end of a hold that is gone: to release it changes nothing. */
    const endOf = (gone: string) =>
      Effect.catchTag(run(release({ userId, key: gone })), "HoldNotFound", () =>
        Effect.succeed<HoldEnd>({ _tag: "Released" })
      )

    const replace = Effect.fnUntraced(function* (gone: string, draft: ReplyReceiptDraft) {
      if (ended || lost || key !== gone) return
      const before = paidWith(paid, yield* endOf(gone))
      const left = bound - before.credits
      const reserved = left > 0 ? yield* holdRest(left, unpaidOf(draft, before)) : undefined
      if (reserved?._tag !== "Held") {
        lost = true
        return yield* Effect.annotateLogs(Effect.logWarning(LOST), { hold: first.key })
      }
      key = nextKey()
      place += 1
      paid = before
      yield* Effect.annotateLogs(Effect.logWarning(REPLACED), { hold: first.key })
    })

    return {
      /** The balance or the daily cap does not pay for the rest: the reply has to end. */
      isLost: () => lost,
      /** How far the reply has come, as a heartbeat records it: with the draft of the whole reply if that is better known by now. */
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
      /** Has `work` run the operation that takes the charge or, without one, releases the hold. Nothing is held anew then. */
      end: <A, E>(
        charge: ReplyCharge | undefined,
        work: (operation: Operation<HoldEnd, SettleRefusal>) => Effect.Effect<A, E>
      ) =>
        turn.withPermit(
          Effect.suspend(() => {
            ended = true
            return work(
              charge === undefined
                ? release({ userId, key })
                : settleReply({
                    userId,
                    key,
                    rest: nextKey(),
                    source,
                    cost: charge.amount,
                    bound,
                    before: paid,
                    draft: charge.draft
                  })
            )
          })
        )
    }
  }
})
