/** The last moment that a `Date` can hold, in Unix milliseconds (ECMA-262, 21.4.1.1). */
const LAST_MOMENT = 8.64e15

/** Returns true if a value is a time in Unix milliseconds that a `Date` can hold. */
export const isMoment = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= LAST_MOMENT
