import { Effect } from "effect"
import type { CreditUpkeep } from "../../credits/CreditLedger.ts"
import {
  addResets,
  noResets,
  type ResetInput,
  type ResetRange,
  type TierResets
} from "../../credits/upkeep/ResetChunk.ts"
import type { TierName } from "../../tiers/Tier.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

/** Resets, or only counts, everything that is due, in ranges of at most `limit` accounts. */
export const resetAll = Effect.fnUntraced(function* (
  ledger: Pick<CreditUpkeep["Service"], "due" | "reset">,
  { asOf, allowances, dryRun = false }: Pick<ResetInput, "asOf" | "allowances"> & { readonly dryRun?: boolean },
  limit = 1_000
): Effect.fn.Return<TierResets, StorageFailed> {
  let tiers: TierResets = noResets(allowances)
  let range: ResetRange | undefined
  for (;;) {
    range = yield* ledger.due({ asOf, before: range, limit })
    if (range === undefined) return tiers
    const chunk = yield* ledger.reset({ asOf, allowances, range, dryRun })
    tiers = addResets(tiers, chunk.tiers)
  }
})

/** Returns the range that contains only the account of a tier, which no other account has, and which is due. */
export const rangeOfTier = Effect.fnUntraced(function* (
  ledger: Pick<CreditUpkeep["Service"], "due" | "reset">,
  asOf: number,
  tier: TierName
) {
  let range: ResetRange | undefined
  for (;;) {
    range = yield* ledger.due({ asOf, before: range, limit: 1 })
    if (range === undefined) return yield* Effect.die(new Error("No account of the tier is due."))
    const { tiers } = yield* ledger.reset({ asOf, allowances: { [tier]: 1 }, range, dryRun: true })
    if (tiers[tier]?.accounts === 1) return range
  }
})
