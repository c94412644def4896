import type Anthropic from "@anthropic-ai/sdk"
import type { ChatMessage } from "@parley/core"
import { alternatingTurns, base64Of, type Turn } from "../alternatingTurns.ts"

/** A text up to which Anthropic keeps the prompt for some minutes, and reads it for a fraction of the price. */
const cached = (text: string): Array<Anthropic.TextBlockParam> => [
  { type: "text", text, cache_control: { type: "ephemeral" } }
]

/** The images of a turn before its text, as Anthropic advises. */
const contentOf = ({ content, images }: Turn): Anthropic.MessageParam["content"] =>
  images === undefined
    ? content
    : [
        ...images.map((image) => ({
          type: "image" as const,
          source: { type: "base64" as const, media_type: image.mediaType, data: base64Of(image) }
        })),
        { type: "text", text: content }
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
    messages: turns.map((turn, place) => ({
      role: turn.role,
      content: place === newestReply ? cached(turn.content) : contentOf(turn)
    }))
  }
}
