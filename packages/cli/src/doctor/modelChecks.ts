import { Catalog, ChatModels, type Model } from "@parley/core"
import { Effect } from "effect"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"

const keyOf = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" } as const

const checkModel = (model: Model) =>
  Effect.map(
    ChatModels.use((models) => Effect.option(models.resolve(model))),
    (found): Check => {
      const name = `model ${model.id}`
      if (found._tag === "None") {
        const advice = `Set ${keyOf[model.vendor]}, or take the model out of the tiers in PARLEY_CONFIG.`
        return failed(name, exitCodes.failed, `nobody answers for it: ${model.vendor} has no key`, advice)
      }
      return found.value.name === "offline"
        ? note(name, "answered by the offline stand-in", `The real one: ${keyOf[model.vendor]}.`)
        : ok(name, `answered by ${found.value.name} (${model.vendorModel})`)
    }
  )

/** Which models are usable, and which key is missing. */
export const modelChecks = Effect.flatMap(Catalog, ({ models }) => Effect.forEach(models, checkModel))
