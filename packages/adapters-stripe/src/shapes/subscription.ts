import type { PaymentSubscription, SubscriptionItem, SubscriptionStatus } from "@parley/core/adapter"
import { userIn } from "../metadata.ts"
import { ShapeReader } from "./ShapeReader.ts"

const STATUSES: Readonly<Record<string, SubscriptionStatus>> = {
  incomplete: "incomplete",
  incomplete_expired: "ended",
  trialing: "trialing",
  active: "active",
  past_due: "past-due",
  unpaid: "unpaid",
  paused: "paused",
  canceled: "ended"
}

/**
 * Reads an item of a subscription. Since 2025-03-31 each item has a period of its own; before, the subscription had one
 * period for all items.
 */
const subscriptionItem = (item: ShapeReader, subscription: ShapeReader): SubscriptionItem => {
  const holder = item.has("current_period_start") || !subscription.has("current_period_start") ? item : subscription
  return {
    priceId: item.optionalId("price") ?? item.id("plan"),
    periodStart: holder.time("current_period_start"),
    periodEnd: holder.time("current_period_end")
  }
}

/** Returns the time at which the subscription ends, if that is decided: a stated time, or the end of the period. */
const endsAtOf = (subscription: ShapeReader, items: ReadonlyArray<SubscriptionItem>): number | undefined => {
  const cancelAt = subscription.optionalTime("cancel_at")
  if (cancelAt !== undefined || !subscription.flag("cancel_at_period_end")) return cancelAt
  return Math.max(...items.map(({ periodEnd }) => periodEnd))
}

/** Reads a subscription, of either generation of Stripe's interface. */
export const paymentSubscription = (value: unknown): PaymentSubscription => {
  const subscription = new ShapeReader(value, "subscription")
  const status = subscription.oneOf("status", STATUSES)
  const list = subscription.object("items")
  if (list.raw("has_more") === true) list.refuse("has_more", "more items than are given")
  const items = list.array("data").map((item) => subscriptionItem(item, subscription))
  if (items.length === 0) list.refuse("data", "empty")
  return {
    id: subscription.text("id"),
    customerId: subscription.id("customer"),
    userId: userIn(subscription.raw("metadata")),
    status,
    items,
    startedAt: subscription.optionalTime("start_date") ?? subscription.time("created"),
    endsAt: status === "ended" ? undefined : endsAtOf(subscription, items),
    endedAt:
      status === "ended"
        ? (subscription.optionalTime("ended_at") ?? subscription.optionalTime("canceled_at"))
        : undefined
  }
}
