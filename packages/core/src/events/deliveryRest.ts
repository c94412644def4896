const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failed try the next one follows: eleven tries within about three days. */
const RESTS_MS: ReadonlyArray<number> = [
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR
]

/** How often an event is tried. */
export const MAX_TRIES = RESTS_MS.length + 1

/** What another side may ask for at most. */
const LONGEST_MS = 24 * HOUR

/**
 * How long an event rests after its failed try number `tries`, in milliseconds; undefined where that was the last.
 * `chance`, from 0 to 1, adds up to a tenth, so that what failed together does not come back together.
 */
export const deliveryRest = (tries: number, askedForMs: number, chance: number): number | undefined => {
  const rest = RESTS_MS[tries - 1]
  return rest === undefined
    ? undefined
    : Math.round(Math.max(rest * (1 + chance / 10), Math.min(askedForMs, LONGEST_MS)))
}
