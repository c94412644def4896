import { Effect, Layer, Stream } from "effect"
import { PaymentObjectNotFound } from "../../billing/errors.ts"
import type { ReceivedPaymentEvent } from "../../billing/provider/PaymentEvent.ts"
import { type PaymentProvider, paymentProviderLayer } from "../../billing/provider/PaymentProvider.ts"

const none = (object: PaymentObjectNotFound["object"]) => (id: string) =>
  Effect.fail(new PaymentObjectNotFound({ object, id }))

/** Parses an event's text as a neutral event: for tests that do not depend on a provider's format. */
const readNeutral = (payload: string): ReceivedPaymentEvent => ({
  ...(JSON.parse(payload) as Omit<ReceivedPaymentEvent, "payload">),
  payload
})

/** A provider that sends neutral events, has no objects for lookups, and lists the given events. */
export const neutralProvider = (events: () => ReadonlyArray<ReceivedPaymentEvent> = () => []): PaymentProvider => ({
  createCustomer: ({ idempotencyKey }) => Effect.succeed({ customerId: `cus_${idempotencyKey}` }),
  portalSession: ({ customerId }) => Effect.succeed({ url: `https://pay.example/portal/${customerId}` }),
  checkoutSession: ({ idempotencyKey }) =>
    Effect.succeed({ sessionId: `cs_${idempotencyKey}`, url: `https://pay.example/checkout/${idempotencyKey}` }),
  closeCheckouts: () => Effect.void,
  endSubscription: none("subscription"),
  invoices: () => Effect.succeed([]),
  prices: () => Effect.succeed([]),
  session: none("session"),
  subscription: none("subscription"),
  paidInvoice: none("invoice"),
  charge: none("charge"),
  paymentInvoice: () => Effect.succeed(undefined),
  events: () => Stream.suspend(() => Stream.fromIterable(events())),
  records: () => Stream.empty,
  verify: ({ payload }) => Effect.sync(() => readNeutral(new TextDecoder().decode(payload))),
  read: (payload) => Effect.sync(() => readNeutral(payload))
})

export const neutralProviderLayer = (events?: () => ReadonlyArray<ReceivedPaymentEvent>) =>
  Layer.suspend(() => paymentProviderLayer(neutralProvider(events)))
