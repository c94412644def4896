import { PaymentGateway } from "@parley/core/adapter"
import { Layer, Redacted } from "effect"
import { StripeClient } from "./client/StripeClient.ts"
import type { StripeClientOptions } from "./client/stripeLimits.ts"
import { stripeLookups } from "./gateway/lookups.ts"
import { stripePages } from "./gateway/pages.ts"
import { stripeRecords } from "./gateway/records.ts"
import { stripeEvents } from "./gateway/received.ts"

export interface StripeOptions extends StripeClientOptions {
  /** What Stripe signs its events with. None: no event is taken, and so no checkout page opens. */
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/** Whether a key is one for real payments; undefined where it does not say. */
const isLive = (apiKey: StripeOptions["apiKey"]): boolean | undefined => {
  const kind = /^[sr]k_(live|test)_/.exec(apiKey === undefined ? "" : Redacted.value(apiKey))?.[1]
  return kind === undefined ? undefined : kind === "live"
}

/** Stripe, or any server that speaks its protocol. Nothing is loaded, or asked, before the first call. */
export const makeStripePaymentGateway = (options: StripeOptions): PaymentGateway["Service"] => {
  const client = new StripeClient(options)
  const origin = { livemode: isLive(options.apiKey) }
  return PaymentGateway.of({
    ...stripePages(client, options.webhookSecret !== undefined),
    ...stripeLookups(client),
    ...stripeRecords(client),
    ...stripeEvents(client, { origin, webhookSecret: options.webhookSecret })
  })
}

export const StripePaymentGatewayLayer = (options: StripeOptions): Layer.Layer<PaymentGateway> =>
  Layer.sync(PaymentGateway, () => makeStripePaymentGateway(options))
