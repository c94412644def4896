import type { ChatMessage } from "@parley/core"
import type { ChatImage } from "@parley/core/adapter"

/** Returns the bytes of an image in base64, the form that vendors expect. */
export const base64Of = ({ bytes }: ChatImage): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** Consecutive messages of the same role, joined to one. */
export interface Turn {
  readonly role: "user" | "assistant"
  readonly content: string
  /** The images of a person's messages; absent if there are none. */
  readonly images?: ReadonlyArray<ChatImage>
}

/** Is put before a conversation that begins with the assistant, because some vendors require the user first. */
const OPENING: Turn = { role: "user", content: "(start)" }

/** True if a text says nothing: vendors refuse it as a part of a message. */
export const isBlank = (text: string): boolean => text.trim() === ""

const joined = (last: Turn, { content, images = [] }: ChatMessage): Turn => {
  const all = [...(last.images ?? []), ...images]
  const texts = [last.content, content].filter((text) => !isBlank(text))
  return { role: last.role, content: texts.join("\n\n"), ...(all.length === 0 ? {} : { images: all }) }
}

/**
 * Converts messages to the rules of the strictest vendors: system messages separate, no messages without text and images,
 * alternating roles, the user first.
 */
export const alternatingTurns = (
  messages: ReadonlyArray<ChatMessage>
): { readonly system: string; readonly turns: ReadonlyArray<Turn> } => {
  const spoken = messages.filter(({ content, images = [] }) => !isBlank(content) || images.length > 0)
  const turns: Array<Turn> = []
  for (const message of spoken) {
    const { content, images, role } = message
    if (role === "system") continue
    const last = turns.at(-1)
    if (last?.role === role) turns[turns.length - 1] = joined(last, message)
    else if (last === undefined && role === "assistant") turns.push(OPENING, { role, content })
    else turns.push({ role, content, ...(images === undefined ? {} : { images }) })
  }
  const system = spoken.filter(({ role }) => role === "system").map(({ content }) => content)
  return { system: system.join("\n\n"), turns }
}
