import { type PaymentPorts, type PaymentProvider, paymentProviderLayer } from "@parley/core/adapter"
import { Layer, Redacted } from "effect"
import { StripeClient } from "./client/StripeClient.ts"
import type { StripeClientOptions } from "./client/stripeLimits.ts"
import { stripeInvoicesAndPrices } from "./gateway/invoicesAndPrices.ts"
import { stripeLookups } from "./gateway/lookups.ts"
import { stripePages } from "./gateway/pages.ts"
import { stripeRecords } from "./gateway/records.ts"
import { stripeEvents } from "./gateway/received.ts"

export interface StripeOptions extends StripeClientOptions {
  /** The signing secret of Stripe's events. Without it, no event is received, and so no checkout page opens. */
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/** True if a key is for real payments; undefined if the key does not say it. */
const isLive = (apiKey: StripeOptions["apiKey"]): boolean | undefined => {
  const kind = /^[sr]k_(live|test)_/.exec(apiKey === undefined ? "" : Redacted.value(apiKey))?.[1]
  return kind === undefined ? undefined : kind === "live"
}

/** Stripe, or any server that speaks its protocol. The SDK is loaded, and the server asked, with the first call. */
export const makeStripePayments = (options: StripeOptions): PaymentProvider => {
  const client = new StripeClient(options)
  const origin = { livemode: isLive(options.apiKey) }
  return {
    ...stripePages(client, options.webhookSecret !== undefined),
    ...stripeInvoicesAndPrices(client),
    ...stripeLookups(client),
    ...stripeRecords(client),
    ...stripeEvents(client, { origin, webhookSecret: options.webhookSecret })
  }
}

export const StripePaymentsLayer = (options: StripeOptions): Layer.Layer<PaymentPorts> =>
  Layer.suspend(() => paymentProviderLayer(makeStripePayments(options)))
