const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses after failed tries: eleven tries within about three days. */
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

/** The number of tries of an event. */
export const MAX_TRIES = RESTS_MS.length + 1

/** The longest wait that a receiver may ask for. */
const LONGEST_MS = 24 * HOUR

/**
 * The pause after failed try number `tries`, in milliseconds; undefined after the last one. `chance`, from 0 to 1,
 * adds up to a tenth, so that events that failed together are not retried at the same moment.
 */
export const deliveryRest = (tries: number, askedForMs: number, chance: number): number | undefined => {
  const rest = RESTS_MS[tries - 1]
  return rest === undefined
    ? undefined
    : Math.round(Math.max(rest * (1 + chance / 10), Math.min(askedForMs, LONGEST_MS)))
}
