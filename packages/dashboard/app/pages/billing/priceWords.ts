import type { BillingPeriod, Price } from "@parley/client"
import type { Messages } from "../../messages/MessagesProvider.tsx"

/** A price with its interval, for people: `$20 a month`. */
export const priceWords = ({ amount, currency, every }: Price, { money, t }: Messages): string => {
  if (amount === null) return t("billing.price.atCheckout")
  const cost = money(amount, currency, { trailingZeroDisplay: "stripIfInteger" })
  return every === null ? cost : t("billing.price", { amount: cost, every: perWords(every, t) })
}

/** The interval of a price, for people: `a month`. */
export const perWords = ({ count, unit }: BillingPeriod, t: Messages["t"]): string =>
  t(`billing.per.${unit}`, { count })

/** The key of an interval for comparing intervals. */
export const keyOf = ({ count, unit }: BillingPeriod): string => `${count} ${unit}`

const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const

const daysOf = ({ count, unit }: BillingPeriod): number => count * DAYS[unit]

/** The intervals of these prices, each once, the shortest first. */
export const intervalsOf = (prices: ReadonlyArray<Price>): ReadonlyArray<BillingPeriod> =>
  [
    ...new Map(prices.flatMap(({ every }) => (every === null ? [] : [[keyOf(every), every] as const]))).values()
  ].toSorted((one, other) => daysOf(one) - daysOf(other))
