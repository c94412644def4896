import { Catalog } from "@parley/core/effect"
import { checkTiers } from "@parley/core/adapter"
import { Effect } from "effect"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, ok } from "./Check.ts"

const NAME = "tiers"

/** Checks that the catalog has the tier of every account; otherwise no server starts. */
export const tierChecks: Effect.Effect<ReadonlyArray<Check>, never, Effect.Services<typeof checkTiers>> = Effect.gen(
  function* () {
    yield* checkTiers
    const { tiers } = yield* Catalog
    return [ok(NAME, `accounts are on none but ${tiers.map(({ name }) => name).join(", ")}`)]
  }
).pipe(
  Effect.catchTags({
    TiersMissing: ({ message }) =>
      Effect.succeed<ReadonlyArray<Check>>([
        { name: NAME, status: "failed", detail: message, exit: exitCodes.configuration }
      ]),
    StorageFailed: () =>
      Effect.succeed([failed(NAME, exitCodes.unavailable, "it could not be read", "Check that the database answers.")])
  })
)
