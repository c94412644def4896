import { SilenceWatch } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import { PROBE_EVERY_MS } from "./VendorSilence.ts"

interface Silence<I, E> {
  /** The input of the probes that are sent while the dependency is silent, to find out when it answers again. */
  readonly probe: I
  /** Returns the failure of a request that is not sent. */
  refused(retryAfterMs: number): E
  /** True for a failure that means that no answer arrived. */
  isSilence(failure: E): boolean
}

/** Wraps `send` for requests for which people wait: while the dependency is silent, they fail at once. */
export const refusingWhileSilent = <I, A, E>(
  dependency: string,
  send: (input: I) => Effect.Effect<A, E>,
  { isSilence, probe: probeInput, refused }: Silence<NoInfer<I>, E>
): ((input: I) => Effect.Effect<A, E>) => {
  let known: SilenceWatch | undefined
  const ask = (watch: SilenceWatch, input: I) =>
    Effect.suspend(() => {
      const { answered, leave } = watch.ask()
      return send(input).pipe(
        Effect.tap(() => Effect.sync(answered)),
        Effect.tapError((failure) => (isSilence(failure) ? Effect.void : Effect.sync(answered))),
        Effect.ensuring(Effect.sync(leave))
      )
    })
  const watchOf = (clock: Clock.Clock): SilenceWatch => {
    const probe = Effect.suspend(() => ask(watchOf(clock), probeInput))
    return (known ??= new SilenceWatch({ dependency, clock, probe, probeEveryMs: PROBE_EVERY_MS }))
  }
  return Effect.fnUntraced(function* (input) {
    const watch = watchOf(yield* Clock.Clock)
    yield* watch.admit(refused)
    return yield* ask(watch, input)
  })
}
