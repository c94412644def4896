import { pieceTokenizer } from "../../tokens/pieceTokenizer.ts"

/** How many UTF-16 units of a text, from an offset on, hold so many tokens; at most `most`. */
export type TokenReach = (start: number, tokens: number, most: number) => number

/** Text is counted in pieces of so many UTF-16 units, each once; a word that a piece's end parts counts as two. */
const PIECE = 64
const UNCOUNTED = 0xffff

/** Counts tokens as they are usually counted, whatever model reads the text: passages do not change with the model. */
export const tokenReach = (text: string): TokenReach => {
  const counts = new Uint16Array(Math.ceil(text.length / PIECE)).fill(UNCOUNTED)
  const tokensOf = (piece: number): number => {
    const known = counts[piece] ?? 0
    if (known !== UNCOUNTED) return known
    return (counts[piece] = pieceTokenizer.count(text.slice(piece * PIECE, (piece + 1) * PIECE)).estimate)
  }
  return (start, tokens, most) => {
    const end = Math.min(text.length, start + most)
    let left = tokens
    let at = start
    while (at < end) {
      const piece = Math.floor(at / PIECE)
      const perUnit = tokensOf(piece) / PIECE
      const units = (piece + 1) * PIECE - at
      if (perUnit * units >= left) return at - start + Math.floor(left / perUnit)
      left -= perUnit * units
      at += units
    }
    return most
  }
}
