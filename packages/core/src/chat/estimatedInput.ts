import type { ChatMessage } from "../models/ChatMessage.ts"
import type { InputUsage } from "../models/ChatModel.ts"
import { estimateMessage } from "../models/messageTokens.ts"
import type { TokenizerService } from "../tokens/TokenizerService.ts"

/** What a message costs beside its text. */
const MESSAGE_TOKENS = 4

/** The input of a request where no provider reported the count. */
export const estimatedInput = (messages: ReadonlyArray<ChatMessage>, tokenizer: TokenizerService): InputUsage => ({
  freshInput: messages.reduce((sum, message) => sum + estimateMessage(message, tokenizer) + MESSAGE_TOKENS, 0),
  cacheRead: 0,
  cacheWrite: 0
})
