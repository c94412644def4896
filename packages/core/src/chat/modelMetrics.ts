import { Effect, Metric } from "effect"
import type { ModelFailed } from "./ChatModel.ts"

/** Replies that a model failed, before or after its first words, by `vendor`, `model` and `reason`. */
export const modelFailures = Metric.counter("parley_model_failures", {
  description: "Replies that a model did not finish",
  incremental: true
})

/** Replies that another model was asked for, by `model`, `fallback` and `reason`. */
export const modelFallbacks = Metric.counter("parley_model_fallbacks", {
  description: "Times a fallback model was asked because a model failed before its first words",
  incremental: true
})

/** Counts a model's failure. */
export const countFailure = (vendor: string, { model, reason }: ModelFailed): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(modelFailures, { vendor, model, reason }), 1)

/** Counts and logs that `fallback` is asked instead. */
export const noteFallback = ({ model, reason }: ModelFailed, fallback: string): Effect.Effect<void> => {
  const labels = { model, fallback, reason }
  return Effect.andThen(
    Metric.update(Metric.withAttributes(modelFallbacks, labels), 1),
    Effect.logWarning("A model failed before its first words; its fallback is asked.").pipe(Effect.annotateLogs(labels))
  )
}
