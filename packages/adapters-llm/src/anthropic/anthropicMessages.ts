import type { ChatMessage } from "@parley/core"

export interface AnthropicTurn {
  readonly role: "user" | "assistant"
  readonly content: string
}

/** Precedes a conversation that begins with the assistant, because Anthropic requires the user first. */
const OPENING: AnthropicTurn = { role: "user", content: "(start)" }

/**
 * Converts messages to Anthropic's rules: system messages separate, no blank messages, alternating roles, the user
 * first.
 */
export const anthropicMessages = (
  messages: ReadonlyArray<ChatMessage>
): { readonly system: string; readonly turns: ReadonlyArray<AnthropicTurn> } => {
  const spoken = messages.filter(({ content }) => content.trim() !== "")
  const turns: Array<AnthropicTurn> = []
  for (const { content, role } of spoken) {
    if (role === "system") continue
    const last = turns.at(-1)
    if (last?.role === role) turns[turns.length - 1] = { role, content: `${last.content}\n\n${content}` }
    else if (last === undefined && role === "assistant") turns.push(OPENING, { role, content })
    else turns.push({ role, content })
  }
  const system = spoken.filter(({ role }) => role === "system").map(({ content }) => content)
  return { system: system.join("\n\n"), turns }
}
