import {
  type ChatModelRequest,
  ModelFailed,
  type ReplyLimits,
  type ReplyPart,
  SILENT_MS,
  SilenceWatch
} from "@parley/core/adapter"
import type { Model } from "@parley/core"
import { Clock, Effect, Stream } from "effect"

/** The time between two probes, which is also the wait that a refused client is asked for. */
export const PROBE_EVERY_MS = 5_000

type Ask = (request: ChatModelRequest, silence: SilenceWatch) => Stream.Stream<ReplyPart, ModelFailed>

/** Returns the smallest possible request to a model, which costs almost nothing. */
const probeOf = (model: Model): ChatModelRequest => ({
  model,
  messages: [{ role: "user", content: "Hi" }],
  maxOutputTokens: 1
})

/**
 * Watches the models of one vendor for silence. Each model is watched separately, because a vendor may lose one of
 * several.
 */
export class VendorSilence {
  readonly #vendor: string
  readonly #limits: ReplyLimits
  readonly #watches = new Map<string, SilenceWatch>()

  constructor(vendor: string, limits: ReplyLimits) {
    this.#vendor = vendor
    this.#limits = limits
  }

  /**
   * Sends a request to a model, and watches it for silence. While the model counts as silent, the request fails at
   * once.
   */
  asking(request: ChatModelRequest, ask: Ask): Stream.Stream<ReplyPart, ModelFailed> {
    const { model } = request
    const refusal = (retryAfterMs: number) =>
      new ModelFailed({ model: model.id, reason: "stalled", retryable: true, retryAfterMs })
    const asking = Effect.gen({ self: this }, function* () {
      const watch = this.#watchOf(model, ask, yield* Clock.Clock)
      yield* watch.admit(refusal)
      return ask(request, watch)
    })
    return Stream.unwrap(asking)
  }

  #watchOf(model: Model, ask: Ask, clock: Clock.Clock): SilenceWatch {
    const known = this.#watches.get(model.vendorModel)
    if (known !== undefined) return known
    const watch: SilenceWatch = new SilenceWatch({
      dependency: `${this.#vendor} ${model.vendorModel}`,
      clock,
      // The first item of the stream, or a failure, proves that the vendor responds.
      probe: Effect.suspend(() => ask(probeOf(model), watch).pipe(Stream.take(1), Stream.runDrain)),
      probeEveryMs: PROBE_EVERY_MS,
      silentMs: Math.max(SILENT_MS, this.#limits.firstByteMs)
    })
    this.#watches.set(model.vendorModel, watch)
    return watch
  }
}
