import type { StoredChat } from "../api/chats.ts"
import { makePart } from "../parts/part.ts"
import { sourceList } from "../sources/ReplySources.tsx"

/** The modules that render and announce replies. */
export const markdown = makePart(() => import("../markdown/Markdown.tsx"))

/** Loads all modules that the replies of a chat need, so that no reply changes its height after it is shown. */
const loadReplyParts = async ({ messages }: StoredChat): Promise<void> => {
  const replies = messages.filter(({ role }) => role === "assistant")
  const sources = replies.some((reply) => reply.sources.length > 0) ? sourceList.load() : undefined
  const { loadFormulas } = await markdown.load()
  await Promise.all([sources, loadFormulas(replies.map(({ content }) => content))])
}

const loading = new WeakMap<StoredChat, Promise<void>>()

/**
 * Resolves when the modules for a stored chat's replies are loaded. Returns the same promise each time, as React's
 * `use` requires.
 */
export const replyPartsOf = (stored: StoredChat): Promise<void> => {
  const parts = loading.get(stored) ?? loadReplyParts(stored)
  loading.set(stored, parts)
  return parts
}
