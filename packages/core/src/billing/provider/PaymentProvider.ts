import { Context, Layer } from "effect"
import { PaymentGateway } from "./PaymentGateway.ts"
import { PaymentLookups } from "./PaymentLookups.ts"
import { PaymentReports } from "./PaymentReports.ts"

/** The three ports to a payment provider. */
export type PaymentPorts = PaymentGateway | PaymentLookups | PaymentReports

/** An adapter of a payment provider: the calls of all three ports. */
export type PaymentProvider = PaymentGateway["Service"] & PaymentLookups["Service"] & PaymentReports["Service"]

/** Provides all three ports from one adapter. */
export const paymentProviderLayer = (provider: PaymentProvider): Layer.Layer<PaymentPorts> =>
  Layer.succeedContext(
    Context.make(PaymentGateway, provider).pipe(
      Context.add(PaymentLookups, provider),
      Context.add(PaymentReports, provider)
    )
  )
