import { Effect } from "effect"
import { CreditLedger } from "../credits/CreditLedger.ts"
import { HoldsOpen } from "../credits/errors.ts"
import { MAX_CREDITS } from "../credits/maxCredits.ts"
import { release, reserve } from "../credits/rules/decideHold.ts"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import { retryStorage } from "../storage/retryStorage.ts"

/** Milliseconds after which a sweeper releases the credits if the process dies during an erasure. */
const TTL_MS = 5 * 60_000

/**
 * Makes a function that holds all free credits of a person while an erasure ends their plan at the payment provider. A
 * new hold needs a free credit, so no hold that would prevent the erasure can be opened after the plan has ended,
 * unless credits are added in that time. Fails with `HoldsOpen` if a hold is open. Returns the effect that releases the
 * credits.
 */
export const makeHoldAll = Effect.gen(function* () {
  const ids = yield* IdGenerator
  const ledger = yield* CreditLedger
  return Effect.fnUntraced(function* (userId: UserId) {
    const key = `erasure:${yield* ids.next}`
    const input = {
      userId,
      key,
      amount: MAX_CREDITS,
      minimumAmount: 1,
      openAtMost: 1,
      ttlMs: TTL_MS,
      source: "meter:erasure" as const,
      draft: { lines: [], ended: "completed" as const }
    }
    // A payment of the person may have locked the account; the key makes a further try safe.
    const reserved = yield* retryStorage(ledger.run(reserve(input, yield* ids.next))).pipe(
      Effect.catchTag("AccountNotFound", () => Effect.undefined),
      Effect.catchTag(["DailyCapReached", "InvalidAmount", "KeyConflict"], Effect.die)
    )
    if (reserved?._tag === "Busy") return yield* new HoldsOpen({ open: reserved.open })
    return ledger.run(release({ userId, key })).pipe(
      Effect.asVoid,
      // If there is no account or no free credit, no hold was opened.
      Effect.catchTag("HoldNotFound", () => Effect.void)
    )
  })
})
