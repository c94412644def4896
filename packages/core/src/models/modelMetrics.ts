import { Effect, Metric } from "effect"
import { causeField } from "../storage/failureFields.ts"
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

/** Replies whose reported usage costs more than their hold, by `vendor` and `model`. */
export const usageAboveHold = Metric.counter("parley_usage_above_hold", {
  description: "Replies charged up to their hold because the vendor's figures cost more",
  incremental: true
})

/** Counts and logs a reply that was charged its whole hold, since its vendor's figures cost more. */
export const noteUsageAboveHold = (excess: {
  readonly hold: string
  readonly vendor: string
  readonly model: string
  /** Credits by the vendor's figures, and those that were held and charged. */
  readonly cost: number
  readonly held: number
}): Effect.Effect<void> => {
  const { vendor, model } = excess
  return Effect.andThen(
    Metric.update(Metric.withAttributes(usageAboveHold, { vendor, model }), 1),
    Effect.logWarning("A vendor's usage costs more than was held; the reply was charged up to its hold.").pipe(
      Effect.annotateLogs(excess)
    )
  )
}

/** Counts a model's failure. A misconfiguration is logged for the operator, even if a fallback answers. */
export const countFailure = (vendor: string, { fault, model, reason }: ModelFailed): Effect.Effect<void> => {
  const counted = Metric.update(Metric.withAttributes(modelFailures, { vendor, model, reason }), 1)
  if (reason !== "misconfigured") return counted
  const log = Effect.logError("A model is misconfigured: its vendor refuses this server's requests.")
  return Effect.andThen(counted, Effect.annotateLogs(log, { vendor, model, fault: fault ?? "not reported" }))
}

/** Counts and logs that `fallback` is asked instead. */
export const noteFallback = (error: ModelFailed, fallback: string): Effect.Effect<void> => {
  const { model, name, reason } = error
  const labels = { model, fallback, reason }
  return Effect.andThen(
    Metric.update(Metric.withAttributes(modelFallbacks, labels), 1),
    Effect.logWarning("A model failed before its first words; its fallback is asked.").pipe(
      Effect.annotateLogs({ ...labels, error: name, ...causeField(error) })
    )
  )
}
