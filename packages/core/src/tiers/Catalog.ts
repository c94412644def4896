import { Context, Schema } from "effect"
import type { Model } from "../models/Model.ts"
import type { CatalogData } from "./CatalogData.ts"
import { CatalogOverrides } from "./CatalogOverrides.ts"
import { catalogProblems } from "./catalogProblems.ts"
import { defaultCatalog, NEW_MODEL, NEW_TIER } from "./shippedCatalog.ts"
import { issuesOf } from "../validation/issuesOf.ts"
import type { Tier } from "./Tier.ts"

/** The catalog is invalid. Contains every problem that was found. */
export class InvalidCatalog extends Schema.TaggedError<InvalidCatalog>()("InvalidCatalog", {
  problems: Schema.Array(Schema.String)
}) {
  readonly code = "invalid_catalog"
  override get message() {
    return `The catalog of tiers, models and prices is not usable: ${this.problems.join("; ")}.`
  }
}

const decodeOverrides = Schema.decodeUnknownResult(CatalogOverrides, { errors: "all", onExcessProperty: "error" })

/**
 * Returns the shipped catalog, of which `overrides` (parsed JSON) replace parts; or, with `replace`, the overrides
 * alone. Throws `InvalidCatalog` with all problems: unknown keys, wrong types, tiers with unknown models, prices with
 * unknown tiers.
 */
export const makeCatalog = (overrides: unknown = {}): CatalogData => {
  const decoded = decodeOverrides(overrides)
  if (decoded._tag === "Failure") {
    const problems = issuesOf(decoded.failure, "the file").map(({ path, message }) => `${path}: ${message}`)
    throw new InvalidCatalog({ problems })
  }
  const given = decoded.success
  const [lowest, ...higher] = tiersOf(given)
  if (lowest === undefined) throw new InvalidCatalog({ problems: ["tiers: at least one is needed"] })
  const catalog: CatalogData = {
    models: modelsOf(given),
    tiers: [lowest, ...higher],
    prices: given.replace === true ? (given.prices ?? {}) : { ...defaultCatalog.prices, ...given.prices },
    widget: { ...defaultCatalog.widget, ...given.widget }
  }
  const problems = [...orderProblems(given), ...catalogProblems(catalog)]
  if (problems.length > 0) throw new InvalidCatalog({ problems })
  return catalog
}

/**
 * Removes the settings that belong to another vendor model: its display name, and its effort, because this model may
 * not accept the value.
 */
const withoutForeignWords = (before: Model, vendorModel: string | undefined): Omit<Model, "effort" | "displayName"> => {
  if (vendorModel === undefined || vendorModel === before.vendorModel) return before
  const { displayName: _name, effort: _effort, ...rest } = before
  return rest
}

/** The default prices of a cache: reads and writes cost the same as fresh input. */
const cacheRates = ({ creditsPer1kInput: input }: { readonly creditsPer1kInput?: number }) => ({
  creditsPer1kCachedInput: input,
  creditsPer1kCacheWrite: input
})

const modelsOf = ({ models: given = {}, replace }: CatalogOverrides): ReadonlyArray<Model> => {
  const models = new Map((replace === true ? [] : defaultCatalog.models).map((model) => [model.id, model]))
  for (const [id, override] of Object.entries(given)) {
    const before = models.get(id)
    const { longContext, ...plain } = override
    const repriced = before === undefined || override.creditsPer1kInput !== undefined
    const model = {
      ...(before ? withoutForeignWords(before, override.vendorModel) : { ...NEW_MODEL, id }),
      ...(repriced && cacheRates(override)),
      ...plain,
      ...(longContext && { longContext: { ...cacheRates(longContext), ...longContext } })
    } as Model
    models.set(id, model)
  }
  return [...models.values()]
}

/**
 * Returns the shipped tiers first, followed by new tiers in the order of the file, unless `tierOrder` is set. Missing
 * fields of a new tier are problems of the catalog.
 */
const tiersOf = ({ replace, tierOrder, tiers: given = {} }: CatalogOverrides): ReadonlyArray<Tier> => {
  const tiers = new Map((replace === true ? [] : defaultCatalog.tiers).map((tier) => [tier.name, tier]))
  for (const [name, override] of Object.entries(given)) {
    const before = tiers.get(name) ?? { ...NEW_TIER, name, displayName: name }
    tiers.set(name, { ...before, ...override } as Tier)
  }
  return tierOrder === undefined ? [...tiers.values()] : tierOrder.flatMap((name) => tiers.get(name) ?? [])
}

/** The problems of an order of tiers, which must name each described tier exactly once, and no other. */
const orderProblems = ({ tierOrder, tiers = {}, ...given }: CatalogOverrides): ReadonlyArray<string> => {
  if (tierOrder === undefined) return []
  const described = new Set([
    ...(given.replace === true ? [] : defaultCatalog.tiers.map(({ name }) => name)),
    ...Object.keys(tiers)
  ])
  const unknown = tierOrder.filter((name) => !described.has(name))
  const twice = tierOrder.filter((name, place) => tierOrder.indexOf(name) !== place)
  return [
    ...unknown.map((name) => `tierOrder: there is no tier ${JSON.stringify(name)}`),
    ...twice.map((name) => `tierOrder: ${JSON.stringify(name)} is there twice`),
    ...Object.keys(tiers)
      .filter((name) => !tierOrder.includes(name))
      .map((name) => `tierOrder: the tier ${JSON.stringify(name)} is described and left out`)
  ]
}

/** The catalog in force. */
export class Catalog extends Context.Service<Catalog, CatalogData>()("@parley/core/tiers/Catalog") {}
