import { paymentGatewayContract, type StagedGateway } from "@parley/core/testing"
import { Effect, Redacted } from "effect"
import { makeStripePayments } from "../../src/index.ts"
import { listenStandIn, STAND_IN_GENERATIONS, StandInPayments } from "@parley/stripe-stand-in"
import { sale } from "./sale.ts"

const SECRET = "whsec_contract"

const staged = (standIn: StandInPayments, apiUrl: string, send?: typeof fetch): StagedGateway => ({
  gateway: makeStripePayments({
    apiKey: Redacted.make(standIn.apiKey),
    webhookSecret: Redacted.make(SECRET),
    apiUrl,
    ...(send === undefined ? {} : { fetch: send })
  }),
  subscriptionPrice: "price_pro",
  oneTimePrice: "price_credits",
  pay: (sessionId) => Effect.sync(() => standIn.pay(sessionId)),
  paymentOf: () => Effect.sync(() => standIn.payments.at(-1) ?? ""),
  sign: (payload, at, secret = "right") =>
    Effect.sync(() => standIn.sign(new TextDecoder().decode(payload), secret === "right" ? SECRET : "whsec_other", at))
})

for (const generation of STAND_IN_GENERATIONS) {
  paymentGatewayContract(`the stand-in in this process, events of ${generation}`, {
    stage: Effect.map(
      Effect.acquireRelease(
        Effect.sync(
          () => new StandInPayments({ prices: sale, publicUrl: "http://127.0.0.1/dev/payments", generation })
        ),
        (standIn) => Effect.sync(() => standIn.close())
      ),
      (standIn) => staged(standIn, standIn.base, standIn.fetch)
    )
  })
}

paymentGatewayContract("the stand-in over the wire", {
  stage: Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listenStandIn({ prices: sale })),
      ({ close }) => Effect.promise(close)
    ),
    ({ standIn, url }) => staged(standIn, url)
  )
})
