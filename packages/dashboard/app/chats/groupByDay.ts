import type { ChatSummary } from "../api/chats.ts"

export type DayGroup = "today" | "yesterday" | "week" | "month" | "older"

const DAY_MS = 86_400_000

const startOfDay = (instant: number): number => new Date(instant).setHours(0, 0, 0, 0)

const groupOf = (updatedAt: string, now: number): DayGroup => {
  // Days with a change of the clock are not 24 hours long, hence the rounding.
  const days = Math.round((startOfDay(now) - startOfDay(Date.parse(updatedAt))) / DAY_MS)
  if (days <= 0) return "today"
  if (days === 1) return "yesterday"
  return days <= 7 ? "week" : days <= 30 ? "month" : "older"
}

/**
 * Chats by the day of their last use, in the order in which they come.
 * @param now in milliseconds since the epoch
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
