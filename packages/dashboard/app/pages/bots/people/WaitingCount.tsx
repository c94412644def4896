import type { Bot } from "@parley/client"
import { Badge } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { inboxQuery } from "../../../api/inbox.ts"
import classes from "./people.module.css"
import { useHandoverMessages } from "./useHandoverMessages.ts"

/** The number of a bot's visitors who wait for a person; nothing if it is 0. */
export const WaitingCount = ({ bot }: { readonly bot: Bot }) => {
  const { t } = useHandoverMessages()
  const { data } = useQuery(inboxQuery(bot))
  const count = data?.waiting ?? 0
  return count === 0 ? null : (
    <Badge variant="light" size="sm" className={classes.waiting ?? ""}>
      {t("handover.waiting", { count })}
    </Badge>
  )
}
