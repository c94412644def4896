import { causeCode, SILENT_MS, SilenceWatch } from "@parley/core/adapter"
import { type Clock, Effect } from "effect"
import type { StripeLimits } from "./stripeLimits.ts"

const PROBE_EVERY_MS = 5_000

/** Error codes that mean that no response arrived: from the system, the SDK and the platform's `fetch`. */
const NO_ANSWER = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])

/** Also looks into the wrapped error, because the SDK wraps exceptions of its `fetch`. */
const isSilence = (cause: unknown): boolean => {
  const { detail } = Object(cause) as { readonly detail?: unknown }
  return NO_ANSWER.has(causeCode(detail) ?? causeCode(cause) ?? "")
}

/** Sends one request, and reports its response or its silence to `watch`. */
export const watched = <A>(
  watch: SilenceWatch,
  request: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, { readonly cause: unknown }> =>
  Effect.suspend(() => {
    const { answered, leave } = watch.ask()
    return Effect.tryPromise({ try: request, catch: (cause) => ({ cause }) }).pipe(
      Effect.tap(() => Effect.sync(answered)),
      Effect.tapError(({ cause }) => (isSilence(cause) ? Effect.void : Effect.sync(answered))),
      Effect.ensuring(Effect.sync(leave))
    )
  })

/**
 * Watches Stripe for silence. A single call without a response during its whole time limit is enough to call it silent.
 */
export const watchStripe = (
  clock: Clock.Clock,
  { totalMs }: StripeLimits,
  probe: Effect.Effect<unknown, unknown>
): SilenceWatch =>
  new SilenceWatch({
    dependency: "payment provider",
    clock,
    probe,
    probeEveryMs: PROBE_EVERY_MS,
    // Less than the time limit of a call, because a call pauses between its tries.
    silentMs: Math.min(SILENT_MS, Math.ceil(totalMs * 0.8))
  })
