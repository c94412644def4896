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
  /**
   * The secret with which Stripe signs events. Without it, the server accepts no events, and therefore opens no
   * checkout page.
   */
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/** True if a key is for real payments, false if it is for tests; undefined if the key does not show it. */
const isLive = (apiKey: StripeOptions["apiKey"]): boolean | undefined => {
  const kind = /^[sr]k_(live|test)_/.exec(apiKey === undefined ? "" : Redacted.value(apiKey))?.[1]
  return kind === undefined ? undefined : kind === "live"
}

/**
 * Makes a payment provider that uses Stripe, or any server with the same protocol. The SDK is loaded at the first call,
 * and no request is sent before.
 */
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
