const ascending = (values: ReadonlyArray<number>): ReadonlyArray<number> => values.toSorted((a, b) => a - b)

/** Returns the quantile of `values` for `share` (0 to 1), by nearest rank; NaN if there are no values. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  ascending(values)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN

/** Returns the middle value, or the mean of the two middle values; NaN if there are no values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = ascending(values)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** Returns `values` in a random order (Fisher-Yates). */
export const shuffled = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => {
  const order = [...values]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const moved = order[last] as A
    order[last] = order[other] as A
    order[other] = moved
  }
  return order
}
