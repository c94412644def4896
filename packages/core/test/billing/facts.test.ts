import fc from "fast-check"
import { expect, it } from "vitest"
import type { InvoiceReason, SubscriptionStatus } from "../../src/billing/provider/PaymentEvent.ts"
import {
  noFacts,
  type SubscriptionFacts,
  withCheckout,
  withInvoice,
  withReport
} from "../../src/billing/SubscriptionFacts.ts"

const price = fc.constantFrom("price_pro", "price_business", "price_addon")
const isPlan = (priceId: string) => priceId !== "price_addon"
/** Few times, so that many reports are of the same one. */
const time = fc.integer({ min: 1, max: 4 }).map((days) => days * 86_400_000)

const report = fc
  .record({
    at: time,
    status: fc.constantFrom<SubscriptionStatus>(
      "incomplete",
      "trialing",
      "active",
      "past-due",
      "unpaid",
      "paused",
      "ended"
    ),
    priceId: price,
    periodStart: time,
    endsAt: fc.option(time, { nil: undefined })
  })
  .map(
    ({ at, endsAt, periodStart, priceId, status }) =>
      (facts: SubscriptionFacts) =>
        withReport(
          facts,
          {
            id: "sub_1",
            customerId: "cus_1",
            userId: undefined,
            status,
            items: [{ priceId, periodStart, periodEnd: periodStart + 1_000 }],
            startedAt: periodStart,
            endsAt,
            endedAt: status === "ended" ? at : undefined
          },
          at,
          isPlan
        )
  )

const checkout = fc.record({ at: time, priceId: price }).map(
  ({ at, priceId }) =>
    (facts: SubscriptionFacts) =>
      withCheckout(facts, priceId, at)
)

const invoice = fc
  .record({
    reason: fc.constantFrom<InvoiceReason>("create", "cycle", "update", "other"),
    priceId: price,
    periodStart: time,
    isProration: fc.boolean(),
    amount: fc.constantFrom(-1, 0, 1),
    amountPaid: fc.constantFrom(0, 1, 2)
  })
  .map(
    ({ amountPaid, reason, ...line }) =>
      (facts: SubscriptionFacts) =>
        withInvoice(
          facts,
          {
            id: `in_${amountPaid}`,
            customerId: "cus_1",
            subscriptionId: "sub_1",
            userId: undefined,
            reason,
            amountPaid,
            currency: "usd",
            lines: [{ ...line, quantity: 1, subscriptionId: "sub_1", periodEnd: line.periodStart + 1_000 }],
            createdAt: line.periodStart
          },
          isPlan
        )
  )

const learn = (steps: ReadonlyArray<(facts: SubscriptionFacts) => SubscriptionFacts>): SubscriptionFacts =>
  steps.reduce((facts, step) => step(facts), noFacts("sub_1"))

it("the facts of a subscription are the same for any order and number of its reports", () => {
  const told = fc.array(fc.oneof(report, checkout, invoice), { maxLength: 8 }).chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      others: fc
        .tuple(fc.shuffledSubarray(steps, { minLength: steps.length }), fc.subarray(steps))
        .map(([all, again]) => [...all, ...again])
    })
  )
  fc.assert(
    fc.property(told, ({ others, steps }) => {
      expect(learn(others)).toEqual(learn(steps))
    }),
    { numRuns: 2_000 }
  )
})
