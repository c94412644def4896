const numbers = new Intl.NumberFormat("en")
const days = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric" })
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const momentsThisYear = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit"
})

/** @param {number} value */
export const inDigits = (value) => numbers.format(value)

/**
 * A count with its noun: `1 credit`, `2 credits`.
 * @param {number} count
 * @param {string} noun in the singular
 */
export const countOf = (count, noun) => `${numbers.format(count)} ${noun}${count === 1 ? "" : "s"}`

/**
 * A day as people write it, in their own time zone.
 * @param {string} instant ISO 8601
 */
export const dayOf = (instant) => days.format(new Date(instant))

/**
 * A day with its time, in the reader's own time zone. The year is told unless it is this one.
 * @param {string} instant ISO 8601
 */
export const momentOf = (instant) => {
  const date = new Date(instant)
  return (date.getFullYear() === new Date().getFullYear() ? momentsThisYear : moments).format(date)
}

const INSTANT = /(\bat )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/g

/**
 * A sentence with the instants in it written as people write days: `at 2026-12-20T10:00:00Z` as `on December 20, 2026`.
 * @param {string} sentence
 */
export const withDays = (sentence) =>
  sentence.replace(INSTANT, (_, at, instant) => `${at === undefined ? "" : "on "}${dayOf(instant)}`)
