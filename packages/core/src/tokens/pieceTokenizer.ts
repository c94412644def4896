import { countGrowing } from "./countGrowing.ts"
import type { TokenCount, TokenizerService } from "./TokenizerService.ts"
import { countInSteps, estimateOf, type PieceCount } from "./tokenPieces.ts"

const countOf = (count: PieceCount): TokenCount => ({ max: count.most, estimate: estimateOf(count) })

const begin: TokenizerService["countInSteps"] = (text) => {
  const step = countInSteps(text)
  return (characters) => {
    const count = step(characters)
    return count === undefined ? undefined : countOf(count)
  }
}

/**
 * Counts piece by piece, as tokenizers cut a text, by facts about OpenAI's cl100k and o200k (`tokenTables.ts`): common
 * words that are one token, letters that are always joined, tokens of each character. The bound holds for both, with room
 * for vendors that publish none; it is usually less than twice the count.
 */
export const pieceTokenizer: TokenizerService = {
  count: (text) => begin(text)(Number.POSITIVE_INFINITY) ?? { max: 0, estimate: 0 },
  countInSteps: begin,
  countGrowing
}
