const numbers = new Intl.NumberFormat("en")
const days = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric" })
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })

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
 * A day with its time, in the reader's own time zone.
 * @param {string} instant ISO 8601
 */
export const momentOf = (instant) => moments.format(new Date(instant))
