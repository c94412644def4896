import { EmbeddingFailed, SilenceWatch } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import { PROBE_EVERY_MS } from "./VendorSilence.ts"

type Embed<A> = (texts: ReadonlyArray<string>) => Effect.Effect<A, EmbeddingFailed>

const silent = (retryAfterMs: number) => new EmbeddingFailed({ reason: "stalled", retryable: false, retryAfterMs })

/** Embeds questions, for which people wait: fails at once while the dependency is silent. */
export const refusingWhileSilent = <A>(dependency: string, embed: Embed<A>): Embed<A> => {
  let known: SilenceWatch | undefined
  const ask = (watch: SilenceWatch, texts: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const { answered, leave } = watch.ask()
      return embed(texts).pipe(
        Effect.tap(() => Effect.sync(answered)),
        Effect.tapError(({ reason }) => (reason === "stalled" ? Effect.void : Effect.sync(answered))),
        Effect.ensuring(Effect.sync(leave))
      )
    })
  const watchOf = (clock: Clock.Clock): SilenceWatch => {
    const probe = Effect.suspend(() => ask(watchOf(clock), ["Hi"]))
    return (known ??= new SilenceWatch({ dependency, clock, probe, probeEveryMs: PROBE_EVERY_MS }))
  }
  return Effect.fnUntraced(function* (texts) {
    const watch = watchOf(yield* Clock.Clock)
    yield* watch.admit(silent)
    return yield* ask(watch, texts)
  })
}
