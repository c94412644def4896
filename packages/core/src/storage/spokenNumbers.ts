/** Numbers in English sentences for people. */

/**
 * Creates formats at their first use: each takes milliseconds, which would delay the start of programs that need none.
 */
const lazily = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

const grouped = lazily(() => new Intl.NumberFormat("en-US"))

/** Returns a number with its unit: `1 credit`, `2,000 credits`. Pass `many` if the plural does not end in s. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${grouped().format(count)} ${count === 1 ? one : many}`

const UNITS = ["kB", "MB", "GB", "TB"] as const

/**
 * Returns a size in bytes as file managers show it: `20 MB` for 20 MiB; `512 bytes`. At most one decimal, rounded down.
 */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1024) return countOf(bytes, "byte")
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const size = bytes / 1024 ** power
  return `${grouped().format(size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size))} ${UNITS[power - 1] ?? "kB"}`
}

const day = lazily(
  () => new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })
)
const time = lazily(() => new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }))

/** Returns a time in Unix milliseconds as `1 December 2026, 14:05 UTC`; at midnight as `1 December 2026`. */
export const momentOf = (moment: number): string => {
  const date = new Date(moment)
  const clock = time().format(date)
  return clock === "00:00" ? day().format(date) : `${day().format(date)}, ${clock} UTC`
}
