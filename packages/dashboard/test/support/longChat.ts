import type { Page } from "playwright-core"

export const CHAT = "3f0c9a1e-0000-4000-8000-0000000000cc"

/** Questions and replies, in pages of as many messages as the server sends. */
const TURNS = 150
const PAGE_MESSAGES = 100

const passage = "Either party may end the lease with a notice of ninety days to the end of a month."

const REPLY = [
  "## The notice",
  "The **notice** is ninety days [1], and it costs $\\frac{a}{b}$ of `rent`.",
  "| month | rent |\n|---|--:|\n| May | 1,450 |\n| June | 1,450 |",
  "```ts\nconst rent = 1_450\nconst year = 12 * rent\n```",
  "- first the *roof*\n- then the walls",
  "$$\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$$"
].join("\n\n")

const idOf = (index: number) => `3f0c9a1e-0000-4000-8000-${String(index).padStart(12, "0")}`

/** The message with this number, the newest of all being the last one. */
const messageOf = (index: number) => {
  const isReply = index % 2 === 1
  const source = { number: 1, documentId: CHAT, filename: "lease.pdf", page: 1, start: 0, end: passage.length }
  return {
    id: idOf(index),
    role: isReply ? "assistant" : "user",
    content: isReply ? REPLY : `Question ${index / 2}`,
    state: "complete",
    model: isReply ? "model-a-mini" : null,
    credits: isReply ? 1 : null,
    receipt: null,
    sources: isReply ? [{ ...source, text: passage, headings: [] }] : [],
    createdAt: "2026-11-01T10:00:00.000Z"
  }
}

/** Answers the address of a chat with a long one, a page at a time. */
export const routeLongChat = async (page: Page): Promise<void> => {
  await page.route(new RegExp(`/api/chats/${CHAT}(\\?.*)?$`), (route) => {
    const before = new URL(route.request().url()).searchParams.get("before")
    const end = before === null ? 2 * TURNS : Number(before.slice(-12))
    const start = Math.max(0, end - PAGE_MESSAGES)
    return route.fulfill({
      json: {
        id: CHAT,
        title: "A long chat",
        createdAt: "2026-11-01T10:00:00.000Z",
        updatedAt: "2026-11-01T10:00:00.000Z",
        documentIds: [],
        running: null,
        messages: Array.from({ length: end - start }, (_, index) => messageOf(start + index)),
        limit: PAGE_MESSAGES,
        nextBefore: start === 0 ? null : idOf(start)
      }
    })
  })
}
