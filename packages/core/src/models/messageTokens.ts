import { pieceTokenizer } from "../tokens/pieceTokenizer.ts"
import type { TokenizerService } from "../tokens/TokenizerService.ts"
import type { ChatMessage } from "./ChatMessage.ts"
import { countMessage } from "./countMessages.ts"

/** The most tokens that vendors add around each message (role, separators) and around a request. */
const MESSAGE_OVERHEAD = 8
const REQUEST_OVERHEAD = 16

/** The typical number of them. */
const TYPICAL_OVERHEAD = 4

/** The tokens that a tokenizer typically counts for the text of a message. */
export const estimateMessage = (message: ChatMessage, tokenizer: TokenizerService): number =>
  countMessage(message, tokenizer).estimate

/** The most tokens of one message, including those that vendors add around it. */
export const maxMessageTokens = (message: ChatMessage, tokenizer: TokenizerService = pieceTokenizer): number =>
  countMessage(message, tokenizer).max + MESSAGE_OVERHEAD

/** Tokens of a whole request at most. */
export const maxRequestTokens = (
  messages: ReadonlyArray<ChatMessage>,
  tokenizer: TokenizerService = pieceTokenizer
): number => messages.reduce((sum, message) => sum + maxMessageTokens(message, tokenizer), REQUEST_OVERHEAD)

/** Tokens of a whole request as a tokenizer typically counts them. Never more than `maxRequestTokens`. */
export const estimateMessageTokens = (
  messages: ReadonlyArray<ChatMessage>,
  tokenizer: TokenizerService = pieceTokenizer
): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message, tokenizer) + TYPICAL_OVERHEAD, TYPICAL_OVERHEAD)
