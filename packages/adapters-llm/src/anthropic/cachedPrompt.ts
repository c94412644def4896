import type Anthropic from "@anthropic-ai/sdk"
import type { ChatMessage } from "@parley/core"
import { alternatingTurns, base64Of, isBlank, type Turn } from "../alternatingTurns.ts"

/**
 * Marks a text as the end of a cached prefix: Anthropic stores the prompt up to this text for some minutes, and then
 * reads it for a fraction of the price.
 */
const cached = (text: string): Array<Anthropic.TextBlockParam> => [
  { type: "text", text, cache_control: { type: "ephemeral" } }
]

/** Puts the images of a turn before its text, if it has one, as Anthropic recommends. */
const contentOf = ({ content, images }: Turn): Anthropic.MessageParam["content"] =>
  images === undefined
    ? content
    : [
        ...images.map((image) => ({
          type: "image" as const,
          source: { type: "base64" as const, media_type: image.mediaType, data: base64Of(image) }
        })),
        ...(isBlank(content) ? [] : [{ type: "text" as const, text: content }])
      ]

/**
 * Returns the prompt with two cached prefixes: one ends with the instructions, which all conversations share, the other
 * with the newest reply, because the next request of the conversation begins with the same messages. The text after
 * that reply is different for each question: caching it would cost more than sending it, and the cache would never be
 * read.
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
