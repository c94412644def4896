import type { ChatMessage } from "./ChatMessage.ts"
import { countMessage } from "./countMessages.ts"
import { countPieces, type PieceCount } from "./tokenPieces.ts"

/** What vendors add around each message (role, separators) and around a request, at most. */
const MESSAGE_OVERHEAD = 8
const REQUEST_OVERHEAD = 16

/** What they typically add. */
const TYPICAL_OVERHEAD = 4

/**
 * The most tokens that current tokenizers count for `text`: an upper bound for OpenAI's cl100k and o200k, with room for
 * vendors that publish none; usually less than twice the count. It follows from facts about the two vocabularies
 * (`tokenTables.ts`): common words that are one token, letters that are always joined, tokens of each character.
 * Linear in the length of the text.
 */
export const tokensAtMost = (text: string): number => countPieces(text).most

/** The tokens that a tokenizer typically counts for `text`. Linear; never more than `tokensAtMost`. */
export const estimateTokens = (text: string): number => usualOf(countPieces(text))

const usualOf = ({ most, usual }: PieceCount): number => Math.min(most, Math.ceil(usual))

/** The tokens that a tokenizer typically counts for the text of a message. */
export const estimateMessage = (message: ChatMessage): number => usualOf(countMessage(message))

/** Tokens of one message at most, with what vendors add around it. */
export const messageTokens = (message: ChatMessage): number => countMessage(message).most + MESSAGE_OVERHEAD

/** Tokens of a whole request at most. */
export const messageTokensAtMost = (messages: ReadonlyArray<ChatMessage>): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), REQUEST_OVERHEAD)

/** Tokens of a whole request as a tokenizer typically counts them. Never more than `messageTokensAtMost`. */
export const estimateMessageTokens = (messages: ReadonlyArray<ChatMessage>): number =>
  messages.reduce((sum, message) => sum + usualOf(countMessage(message)) + TYPICAL_OVERHEAD, TYPICAL_OVERHEAD)
