import type Anthropic from "@anthropic-ai/sdk"
import type { ChatMessage } from "@parley/core"
import { alternatingTurns } from "../alternatingTurns.ts"

/** A text up to which Anthropic keeps the prompt for some minutes, and reads it for a fraction of the price. */
const cached = (text: string): Array<Anthropic.TextBlockParam> => [
  { type: "text", text, cache_control: { type: "ephemeral" } }
]

/**
 * The prompt as it is sent, with two places up to which Anthropic keeps it: the instructions, which all conversations
 * share, and the newest reply, up to which the next request of the conversation is the same. What comes after that reply
 * is different for each question: keeping it would cost more than sending it, and it would never be read.
 */
export const cachedPrompt = (
  messages: ReadonlyArray<ChatMessage>
): Pick<Anthropic.MessageCreateParams, "messages" | "system"> => {
  const { system, turns } = alternatingTurns(messages)
  const newestReply = turns.findLastIndex(({ role }) => role === "assistant")
  return {
    ...(system === "" ? {} : { system: cached(system) }),
    messages: turns.map(({ content, role }, place) => ({
      role,
      content: place === newestReply ? cached(content) : content
    }))
  }
}
