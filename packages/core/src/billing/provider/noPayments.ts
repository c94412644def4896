import { Effect, Stream } from "effect"
import { PaymentsNotConfigured } from "../errors.ts"
import type { PaymentProvider } from "./PaymentProvider.ts"

const missing = () => Effect.fail(new PaymentsNotConfigured({ missing: "key" }))
const none = () => Stream.fail(new PaymentsNotConfigured({ missing: "key" }))

/** The payment provider of a server that sells nothing: every call fails with `PaymentsNotConfigured`. */
export const noPayments: PaymentProvider = {
  createCustomer: missing,
  portalSession: missing,
  checkoutSession: missing,
  closeCheckouts: missing,
  endSubscription: missing,
  invoices: missing,
  prices: missing,
  session: missing,
  subscription: missing,
  paidInvoice: missing,
  charge: missing,
  paymentInvoice: missing,
  events: none,
  records: none,
  verify: () => Effect.fail(new PaymentsNotConfigured({ missing: "webhook-secret" })),
  read: missing
}
