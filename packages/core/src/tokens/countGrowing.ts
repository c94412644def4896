import { countPieces, estimateOf } from "./tokenPieces.ts"

/** The text after the last cut is counted again in each call; beyond this many characters it is cut at its end. */
const LONGEST_TAIL = 4_096

/** The last place where a growing text may be cut without changing the count: before its last single space. */
const lastCut = (text: string): number => {
  let index = text.lastIndexOf(" ")
  while (index > 0 && text[index - 1] === " ") index -= 1
  return Math.max(0, index)
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/**
 * Counts a growing text with the estimate of `pieceTokenizer.count`, in time that is linear in its final length: takes
 * the whole text so far, returns its tokens.
 */
export const countGrowing = (): ((text: string) => number) => {
  let counted = 0
  let most = 0
  let usualParts = 0
  return (text) => {
    const tail = text.slice(counted)
    const end = tail.length > LONGEST_TAIL && lastCut(tail) === 0 ? tail.length : lastCut(tail)
    const cut = end === tail.length && isHighSurrogate(tail.charCodeAt(end - 1)) ? end - 1 : end
    if (cut > 0) {
      const whole = countPieces(tail.slice(0, cut))
      most += whole.most
      usualParts += whole.usualParts
    }
    counted += cut
    const rest = countPieces(tail.slice(cut))
    return estimateOf({ most: most + rest.most, usualParts: usualParts + rest.usualParts })
  }
}
