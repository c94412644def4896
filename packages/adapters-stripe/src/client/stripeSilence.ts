import { causeCode, SILENT_MS, SilenceWatch } from "@parley/core/adapter"
import { type Clock, Effect } from "effect"
import type { StripeLimits } from "./stripeLimits.ts"

const PROBE_EVERY_MS = 5_000

/** Error codes for a missing answer: of the system, of the SDK and of the platform's `fetch`. */
const NO_ANSWER = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])

/** The SDK wraps exceptions of its `fetch`. */
const isSilence = (cause: unknown): boolean => {
  const { detail } = Object(cause) as { readonly detail?: unknown }
  return NO_ANSWER.has(causeCode(detail) ?? causeCode(cause) ?? "")
}

/** One request, whose response or silence is reported to `watch`. */
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

/** Watches the provider for silence. One call that got no answer in all its time is enough. */
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
    // A call pauses between its tries.
    silentMs: Math.min(SILENT_MS, Math.ceil(totalMs * 0.8))
  })
