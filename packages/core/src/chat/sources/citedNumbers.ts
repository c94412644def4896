const CITATION = /\[(\d{1,4}(?:\s?[,;]\s?\d{1,4})*)\]/g

/** Returns the numbers of the sources that a reply cites: as `[1]`, `[1, 2]` or `[1][2]`. */
export const citedNumbers = (reply: string): ReadonlySet<number> =>
  new Set([...reply.matchAll(CITATION)].flatMap(([, numbers = ""]) => numbers.split(/\D+/).map(Number)))
