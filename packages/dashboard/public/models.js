import { readModels } from "./api.js"
import { element, find } from "./element.js"

/** The choice of the model. Those the tier does not include are shown, disabled, with the tiers that do. */
export const createModels = () => {
  const select = find("model", HTMLSelectElement)
  const tierName = find("tier", HTMLElement)
  const offline = find("offline", HTMLElement)

  return {
    /** The id of the chosen model; undefined where none can be chosen, so that the server decides. */
    chosen: () => (select.value === "" ? undefined : select.value),
    refresh: async () => {
      const before = select.value
      const { tier, models } = await readModels()
      select.replaceChildren(...models.map(optionOf))
      const usable = models.filter((model) => model.allowed && model.available)
      const kept = usable.find((model) => model.id === before) ?? usable[0]
      select.value = kept?.id ?? ""
      tierName.textContent = `${tier} tier`
      offline.hidden = !usable.some((model) => model.answeredBy === "offline")
    }
  }
}

/** @param {import("./api.js").OfferedModel} model */
const optionOf = (model) => {
  const usable = model.allowed && model.available
  const label = !model.allowed
    ? `${model.id} (${model.allowedTiers.join(", ") || "no"} tier)`
    : model.available
      ? model.id
      : `${model.id} (not set up)`
  return element("option", { value: model.id, disabled: !usable }, label)
}
