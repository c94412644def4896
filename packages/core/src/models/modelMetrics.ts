import { Effect } from "effect"
import { causeField } from "../storage/failureFields.ts"
import { instruments } from "../telemetry/instruments.ts"
import type { ModelFailed } from "./ChatModel.ts"

/** Counts and logs a reply that was charged its whole hold, because its cost by the vendor's figures is higher. */
export const noteUsageAboveHold = (excess: {
  readonly hold: string
  readonly vendor: string
  readonly model: string
  /** The cost in credits by the vendor's figures; `held` are the credits that were held and charged. */
  readonly cost: number
  readonly held: number
}): Effect.Effect<void> =>
  Effect.suspend(() => {
    instruments.loss.record(excess.cost - excess.held)
    const log = Effect.logWarning("A vendor's usage costs more than was held; the reply was charged up to its hold.")
    return Effect.annotateLogs(log, excess)
  })

/** The number of failures of one model for one reason. */
export interface ModelFailures {
  readonly vendor: string
  readonly model: string
  readonly reason: string
  readonly failures: number
}

/** The failures of models in this process since its start, the most frequent first. */
export const failuresSoFar: Effect.Effect<ReadonlyArray<ModelFailures>> = Effect.sync(() =>
  instruments.modelFailures.series
    .map(({ labels: { model = "", reason = "", vendor = "" }, value }) => ({ vendor, model, reason, failures: value }))
    .filter(({ failures }) => failures > 0)
    .toSorted((a, b) => b.failures - a.failures)
)

/** Counts a model's failure. A misconfiguration is logged for the operator, even if a fallback answers. */
export const countFailure = (vendor: string, { fault, model, reason }: ModelFailed): Effect.Effect<void> =>
  Effect.suspend(() => {
    instruments.modelFailures.record(1, { vendor, model, reason })
    if (reason !== "misconfigured") return Effect.void
    const log = Effect.logError("A model is misconfigured: its vendor refuses this server's requests.")
    return Effect.annotateLogs(log, { vendor, model, fault: fault ?? "not reported" })
  })

/** Counts and logs that `fallback` is called instead. */
export const noteFallback = (error: ModelFailed, fallback: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { model, name, reason } = error
    const labels = { model, fallback, reason }
    instruments.modelFallbacks.record(1, labels)
    const log = Effect.logWarning("A model failed before its first words; its fallback is asked.")
    return Effect.annotateLogs(log, { ...labels, error: name, ...causeField(error) })
  })
