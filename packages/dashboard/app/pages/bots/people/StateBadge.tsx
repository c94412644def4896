import type { Conversation } from "@parley/client"
import { Badge } from "@mantine/core"
import classes from "./people.module.css"
import { useHandoverMessages } from "./useHandoverMessages.ts"

/** A badge with the state of a conversation that waits for a person, or that a person has taken or solved. */
export const StateBadge = ({ state }: Pick<Conversation, "state">) => {
  const { t } = useHandoverMessages()
  return state === "bot" ? null : (
    <Badge variant="light" size="sm" className={classes.state ?? ""} data-state={state}>
      {t(`handover.state.${state}`)}
    </Badge>
  )
}
