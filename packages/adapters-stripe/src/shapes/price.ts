import type { PriceOffer } from "@parley/core/adapter"
import { majorUnits } from "../currency.ts"
import { ShapeReader } from "./ShapeReader.ts"

const UNITS = { day: "day", week: "week", month: "month", year: "year" } as const

/** Returns the amount of a price. If it has fractions of the smallest unit, Stripe states it as a text. */
const amountOf = (price: ShapeReader): number | undefined => {
  const whole = price.optionalWhole("unit_amount")
  if (whole !== undefined) return whole
  if (price.has("custom_unit_amount") || price.raw("billing_scheme") === "tiered") return undefined
  const decimal = Number(String(price.raw("unit_amount_decimal")))
  return Number.isFinite(decimal) ? decimal : undefined
}

/** Reads a price as an offer; undefined if it is no longer sold. */
export const priceOffer = (value: unknown): PriceOffer | undefined => {
  const price = new ShapeReader(value, "price")
  if (!price.flag("active")) return undefined
  const currency = price.currency("currency")
  const amount = amountOf(price)
  const recurring = price.optionalObject("recurring")
  return {
    priceId: price.text("id"),
    amount: amount === undefined ? undefined : majorUnits(amount, currency),
    currency,
    every:
      recurring === undefined
        ? undefined
        : { unit: recurring.oneOf("interval", UNITS), count: recurring.whole("interval_count") }
  }
}
