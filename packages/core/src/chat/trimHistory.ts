import type { ChatMessage } from "../models/ChatMessage.ts"
import { maxMessageTokens } from "../models/messageTokens.ts"
import type { TokenizerService } from "../tokens/TokenizerService.ts"

/**
 * The conversation cut into turns, oldest first. A turn begins with a user message and holds the replies to it; what
 * an assistant said before any user (a welcome) belongs to the first turn.
 */
export const turnsOf = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<ReadonlyArray<ChatMessage>> => {
  const turns: Array<Array<ChatMessage>> = []
  let opened = false
  for (const message of messages) {
    const last = turns.at(-1)
    if (last === undefined || (message.role === "user" && opened)) turns.push([message])
    else last.push(message)
    opened ||= message.role === "user"
  }
  return turns
}

/**
 * The newest whole turns that fit into `budget` tokens together, without a gap, and how many tokens they take at most.
 * Where a turn was dropped, what is left begins with a user message.
 */
export const trimHistory = (
  messages: ReadonlyArray<ChatMessage>,
  budget: number,
  tokenizer: TokenizerService
): { readonly messages: ReadonlyArray<ChatMessage>; readonly maxTokens: number } => {
  const kept: Array<ReadonlyArray<ChatMessage>> = []
  let used = 0
  for (const turn of turnsOf(messages).toReversed()) {
    const cost = turn.reduce((sum, message) => sum + maxMessageTokens(message, tokenizer), 0)
    if (used + cost > budget) break
    used += cost
    kept.push(turn)
  }
  return { messages: kept.toReversed().flat(), maxTokens: used }
}
