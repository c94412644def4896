import { Context, Schema, SchemaIssue } from "effect"
import { EFFORTS, type LongContextRates, type Model, OMITTABLE_PARAMETERS, type TokenRates } from "../models/Model.ts"
import { fallbackProblems } from "../models/fallbacks.ts"
import { TIER_NAMES, type Tier, type TierName } from "./Tier.ts"

/** What a payment provider's price id buys: a tier, or a number of top-up credits. */
export type Purchase = { readonly tier: TierName } | { readonly topup: number }

/** Limits of the public widget. Each of them holds for all server processes together. */
export interface WidgetLimits {
  /** Messages from one address; of IPv6, from one network of 64 bits. */
  readonly perIpPerMinute: number
  readonly perConversationPerMinute: number
  readonly perBotPerMinute: number
  /** Conversations that one address may load. */
  readonly readsPerIpPerMinute: number
  /** Replies that are written to one address at once. */
  readonly streamsPerIp: number
  /** Replies that a bot writes at once. */
  readonly streamsPerBot: number
  /** Unicode characters of a visitor's message. */
  readonly maxMessageCharacters: number
  /** Credits that all bots of an owner may take on one UTC day. */
  readonly ownerDailyCredits: number
}

/** Everything on sale: tiers, models with prices, purchasable prices, widget limits. */
export interface CatalogData {
  readonly tiers: Readonly<Record<TierName, Tier>>
  readonly models: ReadonlyArray<Model>
  readonly prices: Readonly<Record<string, Purchase>>
  readonly widget: WidgetLimits
}

const MIB = 1024 * 1024

const ABANDONED_TRIES_PER_MINUTE = 20

/**
 * Prices follow the vendors' public ones of November 2026, at 8,000 credits for what costs a dollar. The windows are
 * smaller than the vendors': whoever pays by the token is served better by a prompt that was cut to what matters.
 * Vendors are not asked to write their caches, so that what they charge more for writing is not priced here.
 * OpenAI's models answer at once: they think in silence, and a reply that was left could not be charged for it.
 */
const openai = (
  id: string,
  displayName: string,
  vendorModel: string,
  input: number,
  cachedInput: number,
  output: number
): Model => ({
  id,
  displayName,
  vendor: "openai",
  vendorModel,
  creditsPer1kInput: input,
  creditsPer1kCachedInput: cachedInput,
  creditsPer1kCacheWrite: input,
  creditsPer1kOutput: output,
  minimumCredits: 1,
  maxOutputTokens: 4096,
  contextTokens: 128_000,
  effort: "none"
})

/** Anthropic's tokenizers are not public; the present one counts up to about 1.5 times what its predecessor did. */
const ANTHROPIC_TOKEN_FACTOR = 1.35

const anthropic = (...of: Parameters<typeof openai>): Model => ({
  ...openai(...of),
  vendor: "anthropic",
  contextTokens: 200_000,
  effort: "low",
  inputTokenFactor: ANTHROPIC_TOKEN_FACTOR
})

/** The catalog that ships; a configuration file overrides any part of it. */
export const defaultCatalog: CatalogData = {
  models: [
    openai("model-a-mini", "GPT-6 Luna", "gpt-6-luna", 1, 0.1, 4),
    openai("model-a", "GPT-6.1 Terra", "gpt-6.1-terra", 8, 0.4, 40),
    openai("model-a-turbo", "GPT-6.1 Sol", "gpt-6.1-sol", 16, 0.8, 80),
    anthropic("model-b-sonnet-20241022", "Claude Sonnet 5.5", "claude-sonnet-5-5", 16, 0.8, 80),
    anthropic("model-b-opus-20240229", "Claude Opus 5.5", "claude-opus-5-5", 32, 1.6, 160)
  ],
  tiers: {
    free: {
      name: "free",
      displayName: "Free",
      monthlyCredits: 100,
      models: ["model-a-mini"],
      maxDocuments: 20,
      maxDocumentBytes: 100 * MIB,
      maxChatBytes: 50 * MIB,
      abandonedTriesPerMinute: ABANDONED_TRIES_PER_MINUTE
    },
    pro: {
      name: "pro",
      displayName: "Pro",
      monthlyCredits: 5_000,
      models: ["model-a-mini", "model-a", "model-a-turbo", "model-b-sonnet-20241022"],
      maxDocuments: 500,
      maxDocumentBytes: 2_048 * MIB,
      maxChatBytes: 1_024 * MIB,
      abandonedTriesPerMinute: ABANDONED_TRIES_PER_MINUTE
    },
    business: {
      name: "business",
      displayName: "Business",
      monthlyCredits: 25_000,
      models: ["model-a-mini", "model-a", "model-a-turbo", "model-b-sonnet-20241022", "model-b-opus-20240229"],
      maxDocuments: 5_000,
      maxDocumentBytes: 20_480 * MIB,
      maxChatBytes: 10_240 * MIB,
      abandonedTriesPerMinute: ABANDONED_TRIES_PER_MINUTE
    }
  },
  prices: {},
  widget: {
    perIpPerMinute: 20,
    perConversationPerMinute: 10,
    perBotPerMinute: 300,
    readsPerIpPerMinute: 120,
    streamsPerIp: 5,
    streamsPerBot: 100,
    maxMessageCharacters: 4_000,
    ownerDailyCredits: 2_000
  }
}

const WholeFrom = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: Number.MAX_SAFE_INTEGER }))
const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(100))

/** As it stands in receipts, logs and metrics. */
const VendorName = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,49}$/))

const ModelOverride = Schema.Struct({
  displayName: Schema.optionalKey(Name),
  vendor: Schema.optionalKey(VendorName),
  vendorModel: Schema.optionalKey(Schema.NonEmptyString),
  creditsPer1kInput: Schema.optionalKey(Price),
  creditsPer1kCachedInput: Schema.optionalKey(Price),
  creditsPer1kCacheWrite: Schema.optionalKey(Price),
  creditsPer1kOutput: Schema.optionalKey(Price),
  longContext: Schema.optionalKey(
    Schema.Struct({
      aboveInputTokens: WholeFrom(1),
      creditsPer1kInput: Price,
      creditsPer1kCachedInput: Schema.optionalKey(Price),
      creditsPer1kCacheWrite: Schema.optionalKey(Price),
      creditsPer1kOutput: Price
    })
  ),
  minimumCredits: Schema.optionalKey(WholeFrom(1)),
  maxOutputTokens: Schema.optionalKey(WholeFrom(1)),
  contextTokens: Schema.optionalKey(WholeFrom(1)),
  fallback: Schema.optionalKey(Schema.NonEmptyString),
  effort: Schema.optionalKey(Schema.Literals(EFFORTS)),
  omitParameters: Schema.optionalKey(Schema.Array(Schema.Literals(OMITTABLE_PARAMETERS))),
  inputTokenFactor: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 4 })))
})

const TierOverride = Schema.Struct({
  displayName: Schema.optionalKey(Name),
  monthlyCredits: Schema.optionalKey(WholeFrom(0)),
  models: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMinLength(1))),
  maxDocuments: Schema.optionalKey(WholeFrom(0)),
  maxDocumentBytes: Schema.optionalKey(WholeFrom(0)),
  maxChatBytes: Schema.optionalKey(WholeFrom(0)),
  maxConcurrentReplies: Schema.optionalKey(WholeFrom(1)),
  abandonedTriesPerMinute: Schema.optionalKey(WholeFrom(1))
})

/** The form of the configuration file: any part of the catalog. */
export const CatalogOverrides = Schema.Struct({
  tiers: Schema.optionalKey(
    Schema.Struct({
      free: Schema.optionalKey(TierOverride),
      pro: Schema.optionalKey(TierOverride),
      business: Schema.optionalKey(TierOverride)
    })
  ),
  models: Schema.optionalKey(Schema.Record(Schema.NonEmptyString, ModelOverride)),
  prices: Schema.optionalKey(
    Schema.Record(
      Schema.NonEmptyString,
      Schema.Union([Schema.Struct({ tier: Schema.Literals(TIER_NAMES) }), Schema.Struct({ topup: WholeFrom(1) })])
    )
  ),
  widget: Schema.optionalKey(
    Schema.Struct({
      perIpPerMinute: Schema.optionalKey(WholeFrom(1)),
      perConversationPerMinute: Schema.optionalKey(WholeFrom(1)),
      perBotPerMinute: Schema.optionalKey(WholeFrom(1)),
      readsPerIpPerMinute: Schema.optionalKey(WholeFrom(1)),
      streamsPerIp: Schema.optionalKey(WholeFrom(1)),
      streamsPerBot: Schema.optionalKey(WholeFrom(1)),
      maxMessageCharacters: Schema.optionalKey(WholeFrom(1)),
      ownerDailyCredits: Schema.optionalKey(WholeFrom(0))
    })
  )
})
export type CatalogOverrides = typeof CatalogOverrides.Type

/** A catalog that cannot be used, with every problem found. */
export class InvalidCatalog extends Schema.TaggedError<InvalidCatalog>()("InvalidCatalog", {
  problems: Schema.Array(Schema.String)
}) {
  readonly code = "invalid_catalog"
  override get message() {
    return `The catalog of tiers, models and prices is not usable: ${this.problems.join("; ")}.`
  }
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()
const decodeOverrides = Schema.decodeUnknownResult(CatalogOverrides, { errors: "all", onExcessProperty: "error" })

/**
 * The shipped catalog with `overrides` (parsed JSON) laid over it, part by part.
 * Throws `InvalidCatalog` with all problems: unknown keys, wrong types, tiers naming unknown models.
 */
export const makeCatalog = (overrides: unknown = {}): CatalogData => {
  const decoded = decodeOverrides(overrides)
  if (decoded._tag === "Failure") {
    const problems = formatIssue(decoded.failure.issue).issues.map(
      (issue) =>
        `${(issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".") || "the file"}: ${issue.message}`
    )
    throw new InvalidCatalog({ problems })
  }
  const merged = merge(defaultCatalog, decoded.success)
  const problems = inconsistencies(merged)
  if (problems.length > 0) throw new InvalidCatalog({ problems })
  return merged
}

/** A model the file adds needs every field but these. */
const newModel = {
  minimumCredits: 1,
  maxOutputTokens: 4096,
  contextTokens: 128_000
}

/**
 * What was said of another vendor model does not hold for this one: its name, and how much it may think, which is said in
 * words of its own that this one may refuse.
 */
const withoutForeignWords = (before: Model, vendorModel: string | undefined): Omit<Model, "effort" | "displayName"> => {
  if (vendorModel === undefined || vendorModel === before.vendorModel) return before
  const { displayName: _name, effort: _effort, ...rest } = before
  return rest
}

/** Input to and from a cache costs what fresh input costs, where nothing else is said. */
const cacheRates = ({ creditsPer1kInput: input }: { readonly creditsPer1kInput?: number }) => ({
  creditsPer1kCachedInput: input,
  creditsPer1kCacheWrite: input
})

const merge = (base: CatalogData, overrides: CatalogOverrides): CatalogData => {
  const models = new Map(base.models.map((model) => [model.id, model]))
  for (const [id, override] of Object.entries(overrides.models ?? {})) {
    const before = models.get(id)
    const { longContext, ...plain } = override
    const repriced = before === undefined || override.creditsPer1kInput !== undefined
    const model = {
      ...(before ? withoutForeignWords(before, override.vendorModel) : { ...newModel, id }),
      ...(repriced && cacheRates(override)),
      ...plain,
      ...(longContext && { longContext: { ...cacheRates(longContext), ...longContext } })
    } as Model
    models.set(id, model)
  }
  const tier = (name: TierName): Tier => ({ ...base.tiers[name], ...overrides.tiers?.[name] })
  return {
    models: [...models.values()],
    tiers: { free: tier("free"), pro: tier("pro"), business: tier("business") },
    prices: { ...base.prices, ...overrides.prices },
    widget: { ...base.widget, ...overrides.widget }
  }
}

/** The id of the model that answers travels in a header. */
const MODEL_ID = /^[\x21-\x7e]{1,100}$/

const RATES = ["creditsPer1kInput", "creditsPer1kCachedInput", "creditsPer1kCacheWrite", "creditsPer1kOutput"] as const

/** Holds are upper bounds because reading a cache is never dearer, and a longer prompt never cheaper. */
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

const inconsistencies = (catalog: CatalogData): ReadonlyArray<string> => {
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
  const unknown = TIER_NAMES.flatMap((name) =>
    catalog.tiers[name].models
      .filter((id) => !known.has(id))
      .map((id) => `tiers.${name}.models: there is no model ${JSON.stringify(id)}`)
  )
  return [
    ...incomplete,
    ...unsendable,
    ...catalog.models.flatMap(rateProblems),
    ...unlimited,
    ...unknown,
    ...fallbackProblems(catalog.models)
  ]
}

/** The catalog in force. */
export class Catalog extends Context.Service<Catalog, CatalogData>()("@parley/core/tiers/Catalog") {}

/** The model with this public id. */
export const findModel = (catalog: CatalogData, id: string): Model | undefined =>
  catalog.models.find((model) => model.id === id)

/** The tiers that include this model, from none to most paid. */
export const tiersAllowing = (catalog: CatalogData, modelId: string): ReadonlyArray<TierName> =>
  TIER_NAMES.filter((name) => catalog.tiers[name].models.includes(modelId))

/** Models of a tier, cheapest output first. */
export const modelsOfTier = (catalog: CatalogData, tier: TierName): ReadonlyArray<Model> =>
  catalog.models
    .filter((model) => catalog.tiers[tier].models.includes(model.id))
    .toSorted((a, b) => a.creditsPer1kOutput - b.creditsPer1kOutput)
