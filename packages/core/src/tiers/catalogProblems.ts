import type { LongContextRates, Model, TokenRates } from "../models/Model.ts"
import { type CatalogData, fallbacksOf } from "./CatalogData.ts"
import { isTierName, namesOf } from "./Tier.ts"

/** An id must fit into a header, because replies name their model in one. */
const MODEL_ID = /^[\x21-\x7e]{1,100}$/

const RATES = ["creditsPer1kInput", "creditsPer1kCachedInput", "creditsPer1kCacheWrite", "creditsPer1kOutput"] as const

/**
 * The problems of a model's prices. Reading a cache must not cost more than fresh input, and a longer prompt must not
 * cost less, because holds would not be upper bounds otherwise.
 */
const rateProblems = ({ id, longContext, ...model }: Model): ReadonlyArray<string> => {
  const dearCache = (rates: TokenRates, path: string) =>
    rates.creditsPer1kCachedInput > rates.creditsPer1kInput
      ? [`${path}.creditsPer1kCachedInput: it may not exceed creditsPer1kInput`]
      : []
  const cheaper = (long: LongContextRates) =>
    RATES.filter((rate) => long[rate] < model[rate]).map(
      (rate) => `models.${id}.longContext.${rate}: it may not be less than ${rate} of the model`
    )
  return [
    ...dearCache(model, `models.${id}`),
    ...(longContext === undefined
      ? []
      : [...dearCache(longContext, `models.${id}.longContext`), ...cheaper(longContext)])
  ]
}

/** The problems of a catalog's fallbacks: unknown models, and circular chains. */
const fallbackProblems = (models: ReadonlyArray<Model>): ReadonlyArray<string> =>
  models.flatMap((model) => {
    const { fallback, id } = model
    if (fallback === undefined) return []
    if (!models.some((other) => other.id === fallback)) {
      return [`models.${id}.fallback: there is no model ${JSON.stringify(fallback)}`]
    }
    const last = fallbacksOf(models, model).at(-1) ?? model
    return last.fallback === id ? [`models.${id}.fallback: it leads back to the model itself`] : []
  })

/** The problems that make a catalog unusable: missing parts, contradictions, and unknown names. */
export const catalogProblems = (catalog: CatalogData): ReadonlyArray<string> => {
  const known = new Set(catalog.models.map((model) => model.id))
  const incomplete = catalog.models.flatMap((model) =>
    (["vendor", "vendorModel", "creditsPer1kInput", "creditsPer1kOutput"] as const)
      .filter((field) => model[field] === undefined)
      .map((field) => `models.${model.id}.${field}: a new model needs it`)
  )
  const unsendable = catalog.models
    .filter((model) => !MODEL_ID.test(model.id))
    .map((model) => `models.${JSON.stringify(model.id)}: an id is 1 to 100 visible ASCII characters`)
  const unlimited = catalog.models
    .filter(({ omitParameters = [] }) =>
      (["max_tokens", "max_completion_tokens"] as const).every((limit) => omitParameters.includes(limit))
    )
    .map((model) => `models.${model.id}.omitParameters: one of max_tokens and max_completion_tokens has to stay`)
  const unknown = catalog.tiers.flatMap(({ models, name }) =>
    (models ?? [])
      .filter((id) => !known.has(id))
      .map((id) => `tiers.${name}.models: there is no model ${JSON.stringify(id)}`)
  )
  const incompleteTiers = catalog.tiers.flatMap((tier) =>
    (["monthlyCredits", "models"] as const)
      .filter((field) => tier[field] === undefined)
      .map((field) => `tiers.${tier.name}.${field}: a new tier needs it`)
  )
  const names = catalog.tiers.map(({ name }) => name)
  const allNames = catalog.tiers.flatMap(namesOf)
  const unnameable = allNames
    .filter((name) => !isTierName(name))
    .map((name) => `tiers.${name}: a name is 1 to 50 letters, digits, - and _, a letter first`)
  const ambiguous = catalog.tiers.flatMap(({ formerly = [], name }) =>
    formerly
      .filter((former) => allNames.indexOf(former) !== allNames.lastIndexOf(former))
      .map((former) => `tiers.${name}.formerly: ${JSON.stringify(former)} is a name of another tier as well`)
  )
  const unsold = Object.entries(catalog.prices).flatMap(([priceId, bought]) =>
    "tier" in bought && !names.includes(bought.tier)
      ? [`prices.${priceId}.tier: there is no tier ${JSON.stringify(bought.tier)}; there are ${names.join(", ")}`]
      : []
  )
  return [
    ...incomplete,
    ...unsendable,
    ...catalog.models.flatMap(rateProblems),
    ...unlimited,
    ...incompleteTiers,
    ...unknown,
    ...unnameable,
    ...ambiguous,
    ...unsold,
    ...fallbackProblems(catalog.models)
  ]
}
