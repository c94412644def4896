import { Context, Schema } from "effect"
import { allowancesOf, type CatalogData } from "../tiers/CatalogData.ts"
import type { LowBelow } from "./Outbox.ts"

const isThreshold = (setting: unknown): setting is { readonly credits: number } | { readonly share: number } => {
  const { credits, share } = (typeof setting === "object" ? (setting ?? {}) : {}) as {
    readonly credits?: unknown
    readonly share?: unknown
  }
  const isCredits = share === undefined && Number.isSafeInteger(credits) && (credits as number) >= 0
  const isShare = credits === undefined && typeof share === "number" && share >= 0 && share <= 1
  return isCredits || isShare
}

/**
 * The threshold of low balances: a number of credits for all accounts, or a share, from 0 to 1, of the credits that the
 * account's tier grants in each period.
 */
export const LowBalanceSetting = Schema.declare(isThreshold, {
  expected: "{ credits }, a whole number from 0, or { share }, from 0 to 1 of the tier's allowance"
})
export type LowBalanceSetting = typeof LowBalanceSetting.Type

/**
 * A tenth of the allowance unless configured. Use the same setting in every process: if the settings differ, the
 * highest threshold of a tier applies until no process has requested it for a quarter of an hour.
 */
export class LowBalance extends Context.Reference<LowBalanceSetting>("@parley/core/events/LowBalance", {
  defaultValue: () => ({ share: 0.1 })
}) {}

/**
 * Returns the threshold of each tier in whole credits, under all names that accounts may have for the tier; a share is
 * rounded up.
 */
export const lowBelow = (setting: LowBalanceSetting, catalog: Pick<CatalogData, "tiers">): LowBelow =>
  Object.fromEntries(
    Object.entries(allowancesOf(catalog)).map(([tier, allowance]) => [
      tier,
      "credits" in setting ? setting.credits : Math.ceil(setting.share * allowance)
    ])
  )
