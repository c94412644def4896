import type { StandInPrice } from "./StandInState.ts"

type Every = NonNullable<StandInPrice["every"]>

const DAY = 86_400

export const days = (count: number): number => count * DAY

/** A time some calendar months later, on the month's last day if it lacks the day. In seconds, UTC. */
const addMonths = (seconds: number, months: number): number => {
  const from = new Date(seconds * 1000)
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1)
  const next = new Date(first)
  const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  const sinceMidnight = seconds - Math.floor(seconds / DAY) * DAY
  return first / 1000 + days(Math.min(from.getUTCDate(), lastDay) - 1) + sinceMidnight
}

/** When the n-th period after an anchor begins; always counted from the anchor, so that a 31st stays one. */
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
