import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { BillingService } from "../../src/billing/BillingService.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { neutralProviderLayer } from "../../src/testing/billing/neutralProvider.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { InMemoryPersonalData } from "../../src/users/InMemoryPersonalData.ts"
import { PersonalData } from "../../src/users/PersonalData.ts"
import { billingInMemory } from "./stories.ts"

const billing = BillingService.layer.pipe(
  Layer.provideMerge(PaymentInbox.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      billingInMemory,
      InMemoryPersonalData.layer,
      Layer.succeed(Catalog, makeCatalog({})),
      neutralProviderLayer()
    )
  )
)

it("a person who was erased and comes back gets a customer whose payments count", () =>
  Effect.gen(function* () {
    const buyer = { userId: "ann", email: undefined }
    const portal = BillingService.use((service) => service.portal({ ...buyer, returnUrl: "https://chat.example/" }))
    const customer = Effect.map(
      BillingService.use((service) => service.subscription("ann")),
      ({ customerId }) => customerId
    )
    yield* portal
    const before = yield* customer
    yield* PersonalData.use((data) => data.erase({ userId: "ann", pseudonym: "erased:1" }))
    // The gateway, as a provider does, answers the key that it knows with the customer of before.
    yield* portal
    expect(before).toBeDefined()
    expect(yield* customer).toBeDefined()
    expect(yield* customer).not.toBe(before)
  }).pipe(Effect.provide(billing), Effect.runPromise))
