import { countPieces, type PieceCount } from "./tokenPieces.ts"

/**
 * The most tokens that current tokenizers count for `text`: an upper bound for OpenAI's cl100k and o200k, with room for
 * vendors that publish none; usually less than twice the count. It follows from facts about the two vocabularies
 * (`tokenTables.ts`): common words that are one token, letters that are always joined, tokens of each character.
 * Linear in the length of the text.
 */
export const maxTokens = (text: string): number => countPieces(text).most

/** The tokens that a tokenizer typically counts for `text`. Linear; never more than `maxTokens`. */
export const estimateTokens = (text: string): number => usualOf(countPieces(text))

/** The typical count, which never exceeds the bound. */
export const usualOf = ({ most, usual }: PieceCount): number => Math.min(most, Math.ceil(usual))
