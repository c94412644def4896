import { portalContradictions } from "@parley/adapters-stripe"
import { Catalog } from "@parley/core/effect"
import { Effect } from "effect"
import type { ParleyConfig } from "../../config/readConfig.ts"
import { type Check, note, ok } from "../Check.ts"

const NAME = "live portal"
const PATIENCE = "30 seconds"

const unread = (why: string): Check =>
  note(NAME, `its settings could not be read: ${why}`, "Let the key read configurations of the customer portal.")

/** Reports settings of the provider's customer portal that contradict the guide; empty if no plan is on sale. */
export const portalSettingsCheck = Effect.fnUntraced(function* ({
  apiUrl,
  secretKey: apiKey
}: NonNullable<ParleyConfig["payments"]>) {
  const { prices } = yield* Catalog
  if (!Object.values(prices).some((price) => "tier" in price)) return []
  return yield* portalContradictions({ apiKey, apiUrl }).pipe(
    Effect.timeout(PATIENCE),
    Effect.map((problems) => [
      problems.length === 0
        ? ok(NAME, "its settings are as docs/billing.md wants them")
        : note(NAME, problems.join("; "), "Put them right at the provider: docs/billing.md says why (Set it up, 5).")
    ]),
    Effect.catchTag("TimeoutError", () => Effect.succeed([unread("no answer")])),
    Effect.catchTag(["PaymentUnavailable", "PaymentRefused", "PaymentsNotConfigured"], ({ _tag }) =>
      Effect.succeed([unread(_tag)])
    )
  )
})
