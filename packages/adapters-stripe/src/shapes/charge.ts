import type { PaymentCharge, PaymentDispute } from "@parley/core/adapter"
import { priceIn } from "../metadata.ts"
import { ShapeReader } from "./ShapeReader.ts"

/**
 * Returns the price if the charge is for one of this server's one-time sales, and `invoiceId: null` if the charge has
 * certainly paid no invoice of a subscription. The metadata of a one-time sale name its price; before 2025-03-31, a
 * charge also states whether it has an invoice. In all other cases the invoice is looked up, since an invoice may be
 * for a one-time purchase.
 */
const paidFor = (charge: ShapeReader): Pick<PaymentCharge, "invoiceId" | "priceId"> => {
  const priceId = priceIn(charge.raw("metadata"))
  if (priceId !== undefined) return { invoiceId: null, priceId }
  return charge.knows("invoice") && !charge.has("invoice") ? { invoiceId: null } : {}
}

/** Reads a charge with its refunded amount. */
export const paymentCharge = (value: unknown): PaymentCharge => {
  const charge = new ShapeReader(value, "charge")
  return {
    id: charge.text("id"),
    paymentId: charge.optionalId("payment_intent"),
    customerId: charge.optionalId("customer"),
    amount: charge.amount("amount"),
    amountRefunded: charge.amount("amount_refunded"),
    currency: charge.currency("currency"),
    ...paidFor(charge)
  }
}

/** True if a charge took money: other charges were declined, or are pending. */
export const tookMoney = (value: unknown): boolean => new ShapeReader(value, "charge").raw("status") === "succeeded"

/** Returns the id of the charge to which a refund belongs. */
export const refundedCharge = (value: unknown): string | undefined =>
  new ShapeReader(value, "refund").optionalId("charge")

/**
 * Returns the place of a dispute's money. The final status decides first, then the event, then the movements on the
 * account. The money leaves the account when the dispute opens, and returns when it is won. An inquiry moves no money.
 * Movements are in the account's own currency, at the rate of each day, so their sum has no meaning. A lost dispute may
 * return an amount that was refunded before; it is lost nevertheless.
 */
const fundsOf = (dispute: ShapeReader, reported: PaymentDispute["funds"] | undefined): PaymentDispute["funds"] => {
  const moved = (): ReadonlyArray<number> =>
    dispute.array("balance_transactions").map((transaction) => transaction.whole("amount"))
  const funds = reported ?? (moved().length === 0 ? "untouched" : undefined)
  const status = dispute.optionalText("status")
  if (funds !== "untouched" && status === "won") return "reinstated"
  if (funds !== "untouched" && status === "lost") return "withdrawn"
  return funds ?? (moved().some((amount) => amount > 0) ? "reinstated" : "withdrawn")
}

/** Reads a dispute. `reported` is the state of its money according to the event; undefined if the event does not say it. */
export const paymentDispute = (value: unknown, reported?: PaymentDispute["funds"]): PaymentDispute => {
  const dispute = new ShapeReader(value, "dispute")
  return {
    id: dispute.text("id"),
    chargeId: dispute.id("charge"),
    paymentId: dispute.optionalId("payment_intent"),
    amount: dispute.amount("amount"),
    currency: dispute.currency("currency"),
    funds: fundsOf(dispute, reported)
  }
}
