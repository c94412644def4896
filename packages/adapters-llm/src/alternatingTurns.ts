import type { ChatMessage } from "@parley/core"

/** Consecutive messages of one role, joined. */
export interface Turn {
  readonly role: "user" | "assistant"
  readonly content: string
}

/** Precedes a conversation that begins with the assistant, because some vendors require the user first. */
const OPENING: Turn = { role: "user", content: "(start)" }

/**
 * Converts messages to the rules of the strictest vendors: system messages separate, no blank messages, alternating
 * roles, the user first.
 */
export const alternatingTurns = (
  messages: ReadonlyArray<ChatMessage>
): { readonly system: string; readonly turns: ReadonlyArray<Turn> } => {
  const spoken = messages.filter(({ content }) => content.trim() !== "")
  const turns: Array<Turn> = []
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
