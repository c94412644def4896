import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { portalContradictions } from "../src/index.ts"
import { PORTAL_FEATURES, StandInPayments } from "@parley/stripe-stand-in"
import { sale } from "./stand-in/sale.ts"

const found = async (portal: Readonly<Record<string, object>> = {}) => {
  const publicUrl = "http://127.0.0.1:3000/dev/payments"
  const standIn = new StandInPayments({ prices: sale, publicUrl, portal: portal as typeof PORTAL_FEATURES })
  const { apiKey, base: apiUrl, fetch } = standIn
  try {
    const options = { apiKey: Redacted.make(apiKey), apiUrl, fetch, limits: { retries: 0 } }
    return await Effect.runPromise(portalContradictions(options))
  } finally {
    standIn.close()
  }
}

const update = PORTAL_FEATURES["subscription_update"]

describe("the settings of the customer portal", () => {
  it("that are as the guide wants them contradict nothing", async () => {
    expect(await found()).toEqual([])
  })

  it.each<readonly [what: string, portal: Readonly<Record<string, object>>, named: ReadonlyArray<string>]>([
    [
      "have dearer plans paid with the next period, or never",
      { subscription_update: { ...update, proration_behavior: "none" } },
      ["subscription_update.proration_behavior is none, and has to be always_invoice"]
    ],
    [
      "take money back at once for cheaper plans",
      { subscription_update: { ...update, schedule_at_period_end: { conditions: [] } } },
      [
        "subscription_update.schedule_at_period_end.conditions lacks decreasing_item_amount",
        "subscription_update.schedule_at_period_end.conditions lacks shortening_interval"
      ]
    ],
    [
      "let customers change quantities",
      { subscription_update: { ...update, default_allowed_updates: ["price", "quantity"] } },
      ["subscription_update lets customers change the quantity of a plan"]
    ],
    [
      "let customers change quantities of one product",
      {
        subscription_update: {
          ...update,
          products: [{ product: "prod_1", prices: [], adjustable_quantity: { enabled: true } }]
        }
      },
      ["subscription_update lets customers change the quantity of a plan"]
    ],
    [
      "end plans at once",
      { subscription_cancel: { enabled: true, mode: "immediately" } },
      ["subscription_cancel.mode is immediately, and has to be at_period_end"]
    ],
    [
      "let customers do nothing",
      {
        subscription_cancel: { enabled: false },
        subscription_update: { enabled: false },
        payment_method_update: { enabled: false }
      },
      [
        "subscription_update is switched off: customers cannot switch plans",
        "subscription_cancel is switched off: customers cannot cancel",
        "payment_method_update is switched off: customers cannot change their means of payment"
      ]
    ]
  ])("that %s are named", async (_what, portal, named) => {
    expect(await found(portal)).toEqual(named)
  })
})
