import type { PaymentCharge, PaymentDispute } from "@parley/core/adapter"
import { priceIn } from "../metadata.ts"
import { ShapeReader } from "./ShapeReader.ts"

/**
 * Whether a charge paid no invoice of a subscription: what this server sold once has its price with it, and before
 * 2025-03-31 a charge says that it paid no invoice. An invoice may be one of something that was bought once: it is looked up.
 */
const paidFor = (charge: ShapeReader): Pick<PaymentCharge, "invoiceId" | "priceId"> => {
  const priceId = priceIn(charge.raw("metadata"))
  if (priceId !== undefined) return { invoiceId: null, priceId }
  return charge.knows("invoice") && !charge.has("invoice") ? { invoiceId: null } : {}
}

/** Reads a charge with what is refunded of it by now. */
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

/** Whether a charge took money: others were declined, or are pending. */
export const tookMoney = (value: unknown): boolean => new ShapeReader(value, "charge").raw("status") === "succeeded"

/** The charge that a refund is of. */
export const refundedCharge = (value: unknown): string | undefined =>
  new ShapeReader(value, "refund").optionalId("charge")

/**
 * Where the money of a dispute is: by how it ended, else by what its event says, else by what moved on the account: taken
 * out when the dispute opens, given back when it is won. An inquiry moves nothing. What moved is in the account's own
 * currency, at the rate of each day, so that sums say nothing. A dispute that is lost may give back what had been
 * refunded before: that is no victory.
 */
const fundsOf = (dispute: ShapeReader, told: PaymentDispute["funds"] | undefined): PaymentDispute["funds"] => {
  const moved = (): ReadonlyArray<number> =>
    dispute.array("balance_transactions").map((transaction) => transaction.whole("amount"))
  const funds = told ?? (moved().length === 0 ? "untouched" : undefined)
  const status = dispute.optionalText("status")
  if (funds !== "untouched" && status === "won") return "reinstated"
  if (funds !== "untouched" && status === "lost") return "withdrawn"
  return funds ?? (moved().some((amount) => amount > 0) ? "reinstated" : "withdrawn")
}

/** Reads a dispute. `told` is what its event says of its money, where it does. */
export const paymentDispute = (value: unknown, told?: PaymentDispute["funds"]): PaymentDispute => {
  const dispute = new ShapeReader(value, "dispute")
  return {
    id: dispute.text("id"),
    chargeId: dispute.id("charge"),
    paymentId: dispute.optionalId("payment_intent"),
    amount: dispute.amount("amount"),
    currency: dispute.currency("currency"),
    funds: fundsOf(dispute, told)
  }
}
