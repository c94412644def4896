/** How often it is asked at first whether what was paid for has come, in milliseconds, and how many times until it is late. */
const ASK_MS = 1_500
const SOON = 40

/** The longest pause between two asks. */
const LONGEST_MS = 30_000

/** Whether what was paid for is late after so many asks. */
export const isLateAfter = (asks: number): boolean => asks >= SOON

/** The pause before the next ask, in milliseconds: it goes on, ever more seldom, as long as the page is open. */
export const nextAskMs = (asks: number): number =>
  isLateAfter(asks) ? Math.min(LONGEST_MS, ASK_MS * 2 ** Math.min(10, 1 + Math.floor((asks - SOON) / 4))) : ASK_MS
