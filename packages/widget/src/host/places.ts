/** The distance between the edge and the first launcher, and between two launchers, in pixels. */
const EDGE = 20
const GAP = 16

const taken = new Set<readonly [side: string, end: number]>()

/**
 * Reserves the place behind the last launcher on a side, so that launchers of several bots are side by side. `width` is
 * the launcher's width; returns its distance from the edge. Both are in pixels.
 */
export const takePlace = (side: string, width: number, signal: AbortSignal): number => {
  const distance = Math.max(EDGE, ...[...taken].map(([other, end]) => (other === side ? end : 0)))
  const place = [side, distance + width + GAP] as const
  taken.add(place)
  signal.addEventListener("abort", () => taken.delete(place))
  return distance
}
