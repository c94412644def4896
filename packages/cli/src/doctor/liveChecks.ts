import { Catalog } from "@parley/core/effect"
import type { Model } from "@parley/core"
import type { ModelFailed } from "@parley/core/adapter"
import type { ChatModel } from "@parley/core/adapter"
import { Clock, Effect, Stream } from "effect"
import { vendorModels } from "../compose.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, ok } from "./Check.ts"

/** The limits of the one call to each vendor: no retries and a short wait. */
const once = { retry: { retries: 0 }, limits: { idleMs: 20_000, totalMs: 30_000 } }

const advice = {
  "rate-limited": "The key works and its limit is reached: wait, or raise the limit at the vendor.",
  unavailable: "The vendor cannot be reached or is overloaded: check the base URL, or try again later.",
  misconfigured: "Set it right in the environment, or for the model in PARLEY_CONFIG.",
  refused: "The vendor refused the request: check the vendorModel and its effort in PARLEY_CONFIG.",
  other: "Check the base URL, and that the server there speaks the vendor's protocol."
} as const

const adviceOn = (reason: string): string => (reason in advice ? advice[reason as keyof typeof advice] : advice.other)

/** The failure of a vendor's call. If the vendor refuses the call, the configuration is at fault. */
const failedCheck = (name: string, { vendorModel }: Model, { fault, reason }: ModelFailed, took: number): Check => {
  const exit = reason === "misconfigured" ? exitCodes.configuration : exitCodes.unavailable
  return failed(name, exit, `${fault ?? reason}: ${vendorModel} after ${took} ms`, adviceOn(reason))
}

const priceOf = (model: Model): number => model.creditsPer1kInput + model.creditsPer1kOutput

/** Requests one token from the vendor's cheapest model. A reply without a word also shows that the vendor answers. */
const callOnce = (vendor: string, provider: ChatModel, model: Model): Effect.Effect<Check> =>
  Effect.gen(function* () {
    const name = `live ${vendor}`
    const began = yield* Clock.currentTimeMillis
    const request = { model, messages: [{ role: "user", content: "Hi" } as const], maxOutputTokens: 1 }
    const failure = yield* Stream.runDrain(provider.stream(request)).pipe(
      Effect.as(undefined),
      Effect.catchTag("ModelFailed", (error) => Effect.succeed(error.reason === "empty" ? undefined : error))
    )
    const took = (yield* Clock.currentTimeMillis) - began
    if (failure === undefined) return ok(name, `works: ${model.vendorModel} answered in ${took} ms`)
    return failedCheck(name, model, failure, took)
  })

/** Makes one cheap call to each vendor with a configured key. */
export const liveChecks = Effect.fnUntraced(function* (config: ParleyConfig) {
  const { models } = yield* Catalog
  const providers = vendorModels(config, once)
  const calls = Object.entries(providers).flatMap(([vendor, provider]) => {
    const [cheapest] = models.filter((model) => model.vendor === vendor).toSorted((a, b) => priceOf(a) - priceOf(b))
    return cheapest === undefined ? [] : [callOnce(vendor, provider, cheapest)]
  })
  return yield* Effect.all(calls, { concurrency: "unbounded" })
})
