import { Catalog } from "@parley/core/effect"
import type { CatalogData, Model } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { Effect } from "effect"
import { type Check, note, ok } from "./Check.ts"

const keyOf: Readonly<Record<string, string>> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" }

const fallbackOf = ({ fallback }: Model): string => (fallback === undefined ? "" : `, else ${fallback}`)

const advised = ({ vendor }: Model, place: string): string =>
  `Set ${keyOf[vendor] ?? `the key of ${vendor}`}, or take the model out of the ${place} in PARLEY_CONFIG.`

const resolved = (model: Model) => ChatModels.use((models) => Effect.option(models.resolve(model)))

const checkModel = (model: Model) =>
  Effect.map(resolved(model), (found): Check => {
    const name = `model ${model.id}`
    if (found._tag === "None") {
      return note(name, `not usable: ${keyOf[model.vendor] ?? "its key"} is missing`, advised(model, "tiers"))
    }
    return found.value.name === "offline"
      ? note(name, "answered by the offline stand-in", `The real one: ${keyOf[model.vendor]}.`)
      : ok(name, `usable: ${found.value.name} (${model.vendorModel})${fallbackOf(model)}`)
  })

/** Warns about each tier that is on sale and contains models that this server cannot run. */
const soldTierChecks = Effect.fnUntraced(function* ({ models, prices, tiers }: CatalogData) {
  const missing = yield* Effect.filter(models, (model) => Effect.map(resolved(model), ({ _tag }) => _tag === "None"))
  const sold = new Set(Object.values(prices).flatMap((buys) => ("tier" in buys ? [buys.tier] : [])))
  return tiers.flatMap((tier): ReadonlyArray<Check> => {
    const lacking = missing.filter(({ id }) => tier.models.includes(id))
    const [first] = lacking
    if (!sold.has(tier.name) || first === undefined) return []
    const names = lacking.map(({ id }) => id).join(", ")
    const detail = `sold with ${names}, which this server cannot run: people are not shown ${lacking.length === 1 ? "it" : "them"}`
    return [note(`sold tier ${tier.name}`, detail, advised(first, "tier"))]
  })
})

/** Reports the usable models, the missing keys, and the tiers on sale with unusable models. */
export const modelChecks = Effect.flatMap(Catalog, (catalog) =>
  Effect.map(
    Effect.all([Effect.forEach(catalog.models, checkModel), soldTierChecks(catalog)]),
    (checks): ReadonlyArray<Check> => checks.flat()
  )
)
