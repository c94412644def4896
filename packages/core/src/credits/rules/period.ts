/** A billing period: its number counted from the anchor, and its bounds in Unix milliseconds. */
export interface Period {
  readonly number: number
  readonly start: number
  readonly end: number
}

/**
 * The start of the n-th period: anchor + n calendar months in UTC, on the month's last day if the month is shorter.
 * Always computed from the anchor, so that an anchor on the 31st returns to the 31st after a short month.
 */
export const periodStart = (anchor: number, number: number): number => {
  const at = new Date(anchor)
  const months = at.getUTCFullYear() * 12 + at.getUTCMonth() + number
  const year = Math.floor(months / 12)
  const month = months - year * 12
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const time = anchor - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())
  return Date.UTC(year, month, Math.min(at.getUTCDate(), lastDay)) + time
}

/**
 * Returns the period of `anchor` that contains `now`; the first period if `now` is before the anchor. Both in Unix
 * milliseconds.
 */
export const periodAt = (anchor: number, now: number): Period => {
  const from = new Date(anchor)
  const to = new Date(now)
  let number = Math.max(0, (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + (to.getUTCMonth() - from.getUTCMonth()))
  if (number > 0 && periodStart(anchor, number) > now) number -= 1
  return { number, start: periodStart(anchor, number), end: periodStart(anchor, number + 1) }
}
