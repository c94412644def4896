import type { Model } from "./Model.ts"

/**
 * The models that may answer instead of `model`, in the order they are tried: its fallback, the fallback's own, and so
 * on. A name that leads nowhere or back ends the list.
 */
export const fallbacksOf = (models: ReadonlyArray<Model>, model: Model): ReadonlyArray<Model> => {
  const chain = [model]
  for (;;) {
    const next = models.find(({ id }) => id === chain.at(-1)?.fallback)
    if (next === undefined || chain.includes(next)) return chain.slice(1)
    chain.push(next)
  }
}

/** The problems of a catalog's fallbacks: unknown models, and circular chains. */
export const fallbackProblems = (models: ReadonlyArray<Model>): ReadonlyArray<string> =>
  models.flatMap((model) => {
    const { fallback, id } = model
    if (fallback === undefined) return []
    if (!models.some((other) => other.id === fallback)) {
      return [`models.${id}.fallback: there is no model ${JSON.stringify(fallback)}`]
    }
    const last = fallbacksOf(models, model).at(-1) ?? model
    return last.fallback === id ? [`models.${id}.fallback: it leads back to the model itself`] : []
  })
