import { useBalance } from "@parley/react"
import { creditsLeft } from "../api/billing.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"

/** The remaining credits of the person, shown after the plan's name. */
export const BalanceLeft = () => {
  const { t } = useMessages()
  const { balance } = useBalance()
  return balance === undefined ? null : ` · ${t("chats.balance", { count: creditsLeft(balance) })}`
}
