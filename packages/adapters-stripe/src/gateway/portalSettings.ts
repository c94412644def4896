import type { PaymentFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { StripeClient } from "../client/StripeClient.ts"
import type { StripeClientOptions } from "../client/stripeLimits.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"

const texts = (reader: ShapeReader, field: string): ReadonlyArray<unknown> => {
  const values = reader.raw(field)
  return Array.isArray(values) ? values : []
}

/** The changes of plan that must wait for the end of the paid period: to a cheaper plan, and to a shorter interval. */
const CONDITIONS = ["decreasing_item_amount", "shortening_interval"]

const updateProblems = (update: ShapeReader): ReadonlyArray<string> => {
  if (!update.flag("enabled")) return ["subscription_update is switched off: customers cannot switch plans"]
  const proration = update.raw("proration_behavior")
  const conditions = (update.optionalObject("schedule_at_period_end")?.array("conditions") ?? []).map((condition) =>
    condition.raw("type")
  )
  const products = update.has("products") ? update.array("products") : []
  const allowsQuantity =
    texts(update, "default_allowed_updates").includes("quantity") ||
    products.some((product) => product.optionalObject("adjustable_quantity")?.raw("enabled") === true)
  return [
    ...(proration === "always_invoice"
      ? []
      : [`subscription_update.proration_behavior is ${String(proration)}, and has to be always_invoice`]),
    ...CONDITIONS.filter((condition) => !conditions.includes(condition)).map(
      (condition) => `subscription_update.schedule_at_period_end.conditions lacks ${condition}`
    ),
    ...(allowsQuantity ? ["subscription_update lets customers change the quantity of a plan"] : [])
  ]
}

const cancelProblems = (cancel: ShapeReader): ReadonlyArray<string> => {
  if (!cancel.flag("enabled")) return ["subscription_cancel is switched off: customers cannot cancel"]
  const mode = cancel.raw("mode")
  return mode === "at_period_end" ? [] : [`subscription_cancel.mode is ${String(mode)}, and has to be at_period_end`]
}

const problemsOf = (configuration: unknown): ReadonlyArray<string> => {
  const features = new ShapeReader(configuration, "configuration").object("features")
  return [
    ...updateProblems(features.object("subscription_update")),
    ...cancelProblems(features.object("subscription_cancel")),
    ...(features.object("payment_method_update").flag("enabled")
      ? []
      : ["payment_method_update is switched off: customers cannot change their means of payment"])
  ]
}

/**
 * Returns the settings of Stripe's customer portal that contradict the requirements of `docs/billing.md`, in the words
 * of Stripe's interface. These settings decide when a customer who changes the plan pays for the new one.
 */
export const portalContradictions = (
  options: StripeClientOptions
): Effect.Effect<ReadonlyArray<string>, PaymentFailed> => {
  const client = new StripeClient(options)
  const asked = client.askAnything("portalSettings", (stripe, request) =>
    stripe.billingPortal.configurations.list({ active: true, is_default: true, limit: 1 }, request)
  )
  return Effect.flatMap(asked, ({ data: [configuration] }) =>
    configuration === undefined
      ? Effect.succeed(["it has no default configuration: save its settings once"])
      : client.read("portalSettings", () => problemsOf(configuration))
  )
}
