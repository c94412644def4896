import type { StandInPrice } from "./StandInState.ts"

type Every = NonNullable<StandInPrice["every"]>

const DAY = 86_400

export const days = (count: number): number => count * DAY

/**
 * Returns the time a number of calendar months later, in seconds and UTC. If that month lacks the day, the result is
 * its last day.
 */
const addMonths = (seconds: number, months: number): number => {
  const from = new Date(seconds * 1000)
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1)
  const next = new Date(first)
  const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  const sinceMidnight = seconds - Math.floor(seconds / DAY) * DAY
  return first / 1000 + days(Math.min(from.getUTCDate(), lastDay) - 1) + sinceMidnight
}

/**
 * Returns the time at which a period begins, `periods` periods after the anchor. It is always computed from the anchor,
 * so that a period that begins on a 31st does so again after a shorter month.
 */
export const periodAfter = (anchor: number, { count, unit }: Every, periods: number): number => {
  switch (unit) {
    case "day":
      return anchor + days(count * periods)
    case "week":
      return anchor + days(7 * count * periods)
    case "month":
      return addMonths(anchor, count * periods)
    case "year":
      return addMonths(anchor, 12 * count * periods)
  }
}
