import type { Bot } from "@parley/client"
import { Badge } from "@mantine/core"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import classes from "./BotBadge.module.css"
import { useBotSpending } from "./useBotSpending.ts"

/** A badge that shows if the bot answers at the moment, and if not, the reason. */
export const BotBadge = ({ bot: { id, active, dailyCap } }: { readonly bot: Bot }) => {
  const { t } = useMessages()
  const { today } = useBotSpending()
  const isCapped = dailyCap !== null && today(id) >= dailyCap
  return (
    <Badge variant="light" className={classes.badge ?? ""} data-tone={!active ? "off" : isCapped ? "capped" : "on"}>
      {t(!active ? "bots.inactive" : isCapped ? "bots.capReached" : "bots.active")}
    </Badge>
  )
}
