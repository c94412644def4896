import type { ChatSummary, StoredChat, StoredMessage } from "../api/chats.ts"
import { parley } from "../api/parley.ts"
import { fileNameOf } from "./fileName.ts"
import type { Translate } from "../messages/MessagesProvider.tsx"

/** The largest number of messages in one response. */
const PAGE_MESSAGES = 500

/** Reads all messages of a chat, oldest first. */
const readAll = async (chatId: string): Promise<ReadonlyArray<StoredMessage>> => {
  const pages: Array<ReadonlyArray<StoredMessage>> = []
  let before: string | null = null
  do {
    const page: StoredChat = await parley.chat.get(chatId, {
      limit: PAGE_MESSAGES,
      ...(before === null ? {} : { before })
    })
    pages.unshift(page.messages)
    before = page.nextBefore
  } while (before !== null)
  return pages.flat()
}

const sourceLines = ({ content, sources }: StoredMessage, t: Translate): ReadonlyArray<string> =>
  sources
    .filter(({ number }) => content.includes(`[${number}]`))
    .map(({ number, filename, page }) => {
      const place = page === null ? filename : t("chat.source.page", { name: filename, page })
      return `> [${number}] ${place}`
    })

const markdownOf = (title: string, messages: ReadonlyArray<StoredMessage>, t: Translate): string =>
  [
    `# ${title}`,
    ...messages.flatMap((message) => [
      `## ${t(message.role === "user" ? "chat.you" : "chat.assistant")}`,
      message.content,
      sourceLines(message, t).join("\n")
    ])
  ]
    .filter((part) => part !== "")
    .join("\n\n") + "\n"

/** Downloads a file with all messages of a chat, its sources and its costs. */
export const exportChat = async (chat: ChatSummary, format: "markdown" | "json", t: Translate): Promise<void> => {
  const messages = await readAll(chat.id)
  const title = chat.title.trim() === "" ? t("chat.untitled") : chat.title
  const text =
    format === "json" ? `${JSON.stringify({ ...chat, messages }, undefined, 2)}\n` : markdownOf(title, messages, t)
  const type = format === "json" ? "application/json" : "text/markdown"
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = address
  link.download = `${fileNameOf(title)}.${format === "json" ? "json" : "md"}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(address))
}
