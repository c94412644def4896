/**
 * The interval of the first polls for a purchase in milliseconds, and the number of polls after which it counts as
 * late.
 */
const ASK_MS = 1_500
const SOON = 40

/** The longest pause between two polls. */
const LONGEST_MS = 30_000

/** True if the purchase is late after this many polls. */
export const isLateAfter = (asks: number): boolean => asks >= SOON

/** The pause before the next poll in milliseconds. It grows as long as the page stays open. */
export const nextAskMs = (asks: number): number =>
  isLateAfter(asks) ? Math.min(LONGEST_MS, ASK_MS * 2 ** Math.min(10, 1 + Math.floor((asks - SOON) / 4))) : ASK_MS
