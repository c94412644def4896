import { Schema } from "effect"

/** The maximum number of ranges in a week. */
const MAX_RANGES = 50
const DAY_MINUTES = 24 * 60
const WEEK_MINUTES = 7 * DAY_MINUTES
const MINUTE_MS = 60_000

const TIME_MESSAGE = "Expected a time such as 09:00"
const From = Schema.String.check(Schema.isPattern(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { message: TIME_MESSAGE }))
const To = Schema.String.check(Schema.isPattern(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, { message: TIME_MESSAGE }))

const isTimeZone = (text: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const OpeningRange = Schema.Struct({
  day: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })).annotate({
    description: "The day of the week, from 1 for Monday to 7 for Sunday."
  }),
  from: From.annotate({ description: "The first minute, such as 09:00." }),
  to: To.annotate({ description: "The end, such as 17:30; 24:00 is the end of the day." })
}).check(Schema.makeFilter(({ from, to }) => from < to || "Expected an end after the beginning"))

/** The times of a week at which people answer visitors. */
export const OpeningHours = Schema.Struct({
  timeZone: Schema.String.annotate({ description: "The time zone of the times, such as Europe/Berlin." }).check(
    Schema.isMaxLength(100, { message: "Expected a time zone such as Europe/Berlin" }),
    Schema.makeFilter((text: string) => isTimeZone(text) || "Expected a time zone such as Europe/Berlin")
  ),
  ranges: Schema.Array(OpeningRange)
    .check(
      Schema.isMinLength(1, { message: "Expected one range at least" }),
      Schema.isMaxLength(MAX_RANGES, { message: `Expected at most ${MAX_RANGES} ranges` })
    )
    .annotate({ description: "The ranges of a week." })
})
export type OpeningHours = typeof OpeningHours.Type
type OpeningRange = typeof OpeningRange.Type

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

/** Returns the minutes since the beginning of Monday at a time, by the local time of a time zone. */
const minuteOfWeek = (timeZone: string, at: number): number => {
  const style = { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
  const parts = new Intl.DateTimeFormat("en-US", style).formatToParts(at)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ""
  return DAYS.indexOf(part("weekday")) * DAY_MINUTES + Number(part("hour")) * 60 + Number(part("minute"))
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const startOf = ({ day, from }: OpeningRange): number => (day - 1) * DAY_MINUTES + minutesOf(from)
const endOf = ({ day, to }: OpeningRange): number => (day - 1) * DAY_MINUTES + minutesOf(to)

/**
 * Returns the time at which people answer again; undefined if they answer at the time `at`. Both in Unix milliseconds.
 * Without opening hours they always answer.
 */
export const opensAt = (hours: OpeningHours | null, at: number): number | undefined => {
  if (hours === null) return undefined
  const { ranges, timeZone } = hours
  const minute = minuteOfWeek(timeZone, at)
  if (ranges.some((range) => startOf(range) <= minute && minute < endOf(range))) return undefined
  const wait = Math.min(...ranges.map((range) => (startOf(range) - minute + WEEK_MINUTES) % WEEK_MINUTES))
  const expected = Math.floor(at / MINUTE_MS) * MINUTE_MS + wait * MINUTE_MS
  // The offset of the time zone may change before that time.
  const late = (minuteOfWeek(timeZone, expected) - minute - wait + 2 * WEEK_MINUTES) % WEEK_MINUTES
  return expected - (late > WEEK_MINUTES / 2 ? late - WEEK_MINUTES : late) * MINUTE_MS
}
