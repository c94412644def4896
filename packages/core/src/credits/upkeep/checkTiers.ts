import { Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { TiersMissing } from "../../tiers/errors.ts"
import { namesOf } from "../../tiers/Tier.ts"
import { CreditUpkeep } from "../CreditLedger.ts"

/**
 * Fails with `TiersMissing` if accounts are on tiers that the catalog does not have. Called when a process starts: the
 * allowance of those accounts is unknown, and a guess would take credits from people who paid, or grant unpaid credits.
 */
export const checkTiers: Effect.Effect<void, TiersMissing | StorageFailed, Catalog | CreditUpkeep> = Effect.gen(
  function* () {
    const { tiers } = yield* Catalog
    const upkeep = yield* CreditUpkeep
    const missing = yield* upkeep.missingTiers(tiers.flatMap(namesOf))
    if (missing.length > 0) return yield* new TiersMissing({ missing, tiers: tiers.map(({ name }) => name) })
  }
)
