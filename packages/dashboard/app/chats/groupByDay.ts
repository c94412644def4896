import type { ChatSummary } from "../api/chats.ts"

export type DayGroup = "today" | "yesterday" | "week" | "month" | "older"

const DAY_MS = 86_400_000

const startOfDay = (instant: number): number => new Date(instant).setHours(0, 0, 0, 0)

const groupOf = (updatedAt: string, now: number): DayGroup => {
  // The number is rounded, because days on which the clock changes are not 24 hours long.
  const days = Math.round((startOfDay(now) - startOfDay(Date.parse(updatedAt))) / DAY_MS)
  if (days <= 0) return "today"
  if (days === 1) return "yesterday"
  return days <= 7 ? "week" : days <= 30 ? "month" : "older"
}

/**
 * Groups chats by the day of their last use, and keeps their order.
 * @param now the current time in Unix milliseconds
 */
export const groupByDay = (chats: ReadonlyArray<ChatSummary>, now: number) => {
  const groups = new Map<DayGroup, Array<ChatSummary>>()
  for (const chat of chats) {
    const group = groupOf(chat.updatedAt, now)
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [chat])
    else members.push(chat)
  }
  return [...groups].map(([group, members]) => ({ group, chats: members }))
}
