import { Catalog, type Model } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { Effect } from "effect"
import { type Check, note, ok } from "./Check.ts"

const keyOf: Readonly<Record<string, string>> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" }

const fallbackOf = ({ fallback }: Model): string => (fallback === undefined ? "" : `, else ${fallback}`)

const checkModel = (model: Model) =>
  Effect.map(
    ChatModels.use((models) => Effect.option(models.resolve(model))),
    (found): Check => {
      const name = `model ${model.id}`
      if (found._tag === "None") {
        const advice = `Set ${keyOf[model.vendor]}, or take the model out of the tiers in PARLEY_CONFIG.`
        return note(name, `not usable: ${keyOf[model.vendor]} is missing`, advice)
      }
      return found.value.name === "offline"
        ? note(name, "answered by the offline stand-in", `The real one: ${keyOf[model.vendor]}.`)
        : ok(name, `usable: ${found.value.name} (${model.vendorModel})${fallbackOf(model)}`)
    }
  )

/** Which models are usable, and which key is missing. */
export const modelChecks = Effect.flatMap(Catalog, ({ models }) => Effect.forEach(models, checkModel))
