import type { ChatMessage } from "./ChatMessage.ts"

/** What vendors add around each message (role, separators) and around a request, at most. */
const MESSAGE_OVERHEAD = 8
const REQUEST_OVERHEAD = 16

/** The most tokens any current tokenizer counts for `text`. Linear. */
export const tokensAtMost = (text: string): number => {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }
  return bytes
}

/** The tokens a tokenizer typically counts for `text`. Linear; never more than `tokensAtMost`. */
export const estimateTokens = (text: string): number => Math.min(tokensAtMost(text), Math.ceil(text.length / 4))

/** Tokens of one message at most, with what vendors add around it. */
export const messageTokens = (message: ChatMessage): number => tokensAtMost(message.content) + MESSAGE_OVERHEAD

/** Tokens of a whole request at most. */
export const messageTokensAtMost = (messages: ReadonlyArray<ChatMessage>): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), REQUEST_OVERHEAD)

/** What vendors typically add around a message. */
const TYPICAL_OVERHEAD = 4

/** Tokens of a whole request as a tokenizer typically counts them. Never more than `messageTokensAtMost`. */
export const estimateMessageTokens = (messages: ReadonlyArray<ChatMessage>): number =>
  messages.reduce((sum, message) => sum + estimateTokens(message.content) + TYPICAL_OVERHEAD, TYPICAL_OVERHEAD)
