import type { MoneyReport } from "@parley/client"
import { daysOf } from "../../../api/usage.ts"
import type { DayOfValues } from "../../../charts/StackedDays.tsx"

/** The sum of the rows with one name. Lists of sums begin with the largest. */
export interface Sum {
  readonly id: string
  readonly count: number
  readonly amount: number
}

interface Entry extends Sum {
  readonly day: string
}

const sumsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Sum> =>
  [...Map.groupBy(entries, ({ id }) => id)]
    .map(([id, same]) => ({
      id,
      count: same.reduce((sum, { count }) => sum + count, 0),
      amount: same.reduce((sum, { amount }) => sum + amount, 0)
    }))
    .toSorted((a, b) => b.amount - a.amount)

/** Sums of charges or payments: by name over all days, by name for today, and by day. */
export interface Sums {
  readonly total: ReadonlyArray<Sum>
  readonly today: ReadonlyArray<Sum>
  /** All days, including those without an entry. */
  readonly days: ReadonlyArray<DayOfValues>
}

const summed = (money: MoneyReport, entries: ReadonlyArray<Entry>): Sums => {
  const byDay = Map.groupBy(entries, ({ day }) => day)
  return {
    total: sumsOf(entries),
    today: sumsOf(byDay.get(money.to) ?? []),
    days: daysOf(money).map((day) => ({
      day,
      values: Object.fromEntries((byDay.get(day) ?? []).map(({ amount, id }) => [id, amount]))
    }))
  }
}

/** The sums of the charged credits, by model. */
export const chargesOf = (money: MoneyReport): Sums =>
  summed(
    money,
    money.charges.map(({ credits: amount, day, model: id, replies: count }) => ({ day, id, count, amount }))
  )

const CURRENCY = /^[a-z]{3}$/i

/** Converts an amount from the smallest unit of a currency to its major unit: 12.5; yen without decimals. */
const majorUnits = (amount: number, currency: string): number => {
  if (!CURRENCY.test(currency)) return amount
  const { maximumFractionDigits = 0 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
  return Number(`${amount}e-${maximumFractionDigits}`)
}

/** The sums of the payments in major units, by currency. */
export const revenueOf = (money: MoneyReport): Sums =>
  summed(
    money,
    money.revenue.map(({ amount, currency: id, day, payments: count }) => ({
      ...{ day, id, count },
      amount: majorUnits(amount, id)
    }))
  )
