import { Effect } from "effect"
import { it } from "vitest"
import { billingUnderTest, checkStory, type StoryPlan } from "../../src/testing/billing/billingHistory.ts"
import { billingInMemory } from "./stories.ts"

/** The days by which the events of the story are late, in the order of the events: those of the trial and the renewal. */
const DAYS_LATE = [0, 0, 100, 100, 0, 40, 40, 40, 0, 0, 0, 0]

const plan: StoryPlan = {
  acts: [
    { act: { _tag: "buy", payment: "now" }, afterHours: 0 },
    { act: { _tag: "subscribe", price: "price_pro", trialDays: 14 }, afterHours: 0 },
    { act: { _tag: "renew", nth: 0, isPaid: true }, afterHours: 0 },
    { act: { _tag: "change", nth: 0, price: "price_business", payment: "now" }, afterHours: 0 }
  ],
  delays: DAYS_LATE.map((days) => ({ days, twice: true, fault: undefined })),
  resets: [],
  spends: true
}

it("an upgrade after a trial, reported before the invoice of its period, grants the credits of that period once", () =>
  Effect.runPromise(Effect.provide(checkStory(plan), billingUnderTest(billingInMemory), { local: true })))
