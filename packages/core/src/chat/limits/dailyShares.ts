import { Clock, Effect } from "effect"
import { DailyCapReached, type DailyShareName } from "../../credits/errors.ts"
import { kindOfSpender, type Spender, dayOf, startOfDay } from "../../credits/Spender.ts"
import { type SpendLimit, SpendLimiter } from "../../limits/SpendLimiter.ts"
import { failureFields } from "../../storage/failureFields.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { retryUnasked } from "../../storage/retryStorage.ts"

/**
 * The part of the payer's daily cap that one bot, or one address, may spend. A running reply counts with its maximum
 * cost.
 */
export interface DailyShare extends SpendLimit {
  readonly name: DailyShareName
}

/** The credits that the daily shares grant to a reply. */
export interface GrantedShare {
  readonly amount: number
  /**
   * Returns granted credits that the reply did not cost. Never fails: if the store does not answer for minutes, or its
   * answer is lost, the credits stay counted for the day.
   */
  giveBack(unused: number): Effect.Effect<void>
}

const NOT_GIVEN_BACK =
  "Credits that a visitor's reply did not cost could not be returned: they stay counted on the bot and the address today."

/** Counts a reply on its daily shares, before its credits are held. */
export const makeTakeShares = Effect.gen(function* () {
  const limiter = yield* SpendLimiter
  const scope = yield* Effect.scope

  return Effect.fnUntraced(function* (
    shares: ReadonlyArray<DailyShare>,
    wanted: { readonly amount: number; readonly minimumAmount: number; readonly source: Spender }
  ) {
    const { amount, minimumAmount, source } = wanted
    const spending = yield* limiter.spend({ limits: shares, amount, minimumAmount })
    if (spending._tag === "Refused") {
      const { credits, name } = shares[spending.place] as DailyShare
      const { remainingMs: retryAfterMs } = spending
      const resetsAt = startOfDay(dayOf(yield* Clock.currentTimeMillis) + 1)
      return yield* new DailyCapReached({
        kind: kindOfSpender(source),
        share: name,
        cap: credits,
        spent: credits,
        resetsAt,
        retryAfterMs
      })
    }
    const { amount: granted, day } = spending
    const giveBack = (unused: number): Effect.Effect<void> => {
      if (unused <= 0) return Effect.void
      const giving = limiter.giveBack({ limits: shares, day, amount: unused })
      const lost = (failed: StorageFailed) =>
        Effect.annotateLogs(Effect.logWarning(NOT_GIVEN_BACK), failureFields(failed))
      // Runs apart from the reply, because an outage would delay the reply for minutes.
      const later = Effect.asVoid(Effect.forkIn(Effect.catch(retryUnasked(giving), lost), scope))
      // If the answer was lost, the credits may have been returned already. Returning them again would let the bot or
      // the address exceed its cap.
      return Effect.catch(giving, (failed) => (failed.retryAfterMs === undefined ? lost(failed) : later))
    }
    return { amount: granted, giveBack } satisfies GrantedShare
  })
})
