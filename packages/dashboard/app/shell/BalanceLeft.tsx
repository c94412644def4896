import { useQuery } from "@tanstack/react-query"
import { balanceQuery, creditsLeft } from "../api/billing.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"

/** Interval at which a balance with held credits is read again, in milliseconds. */
const POLL_MS = 2_000

/** The credits that the person has, after the plan's name. */
export const BalanceLeft = () => {
  const { t } = useMessages()
  const { data: balance } = useQuery({
    ...balanceQuery,
    refetchInterval: ({ state }) => ((state.data?.held ?? 0) > 0 ? POLL_MS : false)
  })
  return balance === undefined ? null : ` · ${t("chats.balance", { count: creditsLeft(balance) })}`
}
