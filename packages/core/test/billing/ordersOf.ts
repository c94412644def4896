/** Every order of some things. */
export const ordersOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((first, place) => ordersOf(all.toSpliced(place, 1)).map((rest) => [first, ...rest]))
