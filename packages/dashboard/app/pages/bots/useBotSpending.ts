import type { Usage } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { usageQuery } from "../../api/usage.ts"

const BOT = "bot:"

const sum = (rows: ReadonlyArray<Usage>): number => rows.reduce((credits, row) => credits + row.credits, 0)

/** The credits that each of the person's bots has spent today (UTC). */
export const useBotSpending = () => {
  const { data } = useQuery(usageQuery(1))
  const rows = data?.usage.filter(({ source }) => source.startsWith(BOT)) ?? []
  return { today: (botId: string) => sum(rows.filter(({ source }) => source === BOT + botId)) }
}
