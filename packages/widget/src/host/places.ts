/** Between the edge and the first launcher, and from one launcher to the next, in pixels. */
const EDGE = 20
const STEP = 76

const taken = new Set<string>()

/**
 * Takes the first free place on a side, so that launchers of several bots stand side by side. Returns its distance
 * from the edge, in pixels.
 */
export const takePlace = (side: string, signal: AbortSignal): number => {
  let index = 0
  while (taken.has(side + index)) index += 1
  const place = side + index
  taken.add(place)
  signal.addEventListener("abort", () => taken.delete(place))
  return EDGE + index * STEP
}
