import { Effect, Redacted, Result } from "effect"
import type { EventSink } from "../events/EventSink.ts"
import { hookSinks, type ParleyHooks } from "../events/hooks.ts"
import { type LowBalanceSetting, problemOfLowBalance } from "../events/LowBalance.ts"
import type { EventType } from "../events/ParleyEvent.ts"
import type { WebhookPoster } from "../events/WebhookPoster.ts"
import { webhookSinks } from "../events/webhooks.ts"
import { InvalidInput } from "./errors.ts"

/** Who sends webhooks, and where to. */
export interface WebhookOptions {
  /** `NodeWebhookPoster` of `@parley/adapters-http/node`, or one of your own. */
  readonly poster: WebhookPoster
  readonly endpoints: ReadonlyArray<{
    /** `https://`, or `http://` on this machine. */
    readonly url: string
    /** `whsec_` and base64 of 24 to 64 random bytes; several while it is changed. */
    readonly secret: string | ReadonlyArray<string>
    /** What is sent; everything unless given. */
    readonly events?: ReadonlyArray<EventType>
  }>
}

interface TellingOptions {
  readonly hooks?: ParleyHooks
  readonly webhooks?: WebhookOptions
  readonly lowBalance?: LowBalanceSetting
}

/** The destinations of events that are configured. Rejects with `InvalidWebhooks`, or `InvalidInput` for the threshold. */
export const eventSinks = async ({
  hooks = {},
  lowBalance,
  webhooks
}: TellingOptions): Promise<ReadonlyArray<EventSink>> => {
  const problem = lowBalance === undefined ? undefined : problemOfLowBalance(lowBalance)
  if (problem !== undefined) throw new InvalidInput({ field: "lowBalance", expected: problem })
  if (webhooks === undefined) return hookSinks(hooks)
  const endpoints = webhooks.endpoints.map(({ events, secret, url }) => {
    const secrets = (typeof secret === "string" ? [secret] : secret).map((each) => Redacted.make(each))
    return { url, events, secrets }
  })
  const made = await Effect.runPromise(Effect.result(webhookSinks(endpoints, webhooks.poster)))
  if (Result.isFailure(made)) throw made.failure
  return [...hookSinks(hooks), ...made.success]
}
