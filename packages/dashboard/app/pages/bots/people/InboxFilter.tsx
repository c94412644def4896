import type { Bot } from "@parley/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { HANDOVER_STATES, type HandoverState, inboxQuery } from "../../../api/inbox.ts"
import classes from "./people.module.css"
import { useHandoverMessages } from "./useHandoverMessages.ts"

export interface InboxFilterProps {
  readonly bot: Bot
  /** The chosen state; undefined for all conversations. */
  readonly state: HandoverState | undefined
  readonly onChange: (state: HandoverState | undefined) => void
}

/** Filters the conversations by state, and shows the number of conversations in each state. */
export const InboxFilter = ({ bot, onChange, state }: InboxFilterProps) => {
  const { t } = useHandoverMessages()
  const { data: counts } = useQuery(inboxQuery(bot))
  const choice = (each: HandoverState | undefined) => {
    const name = t(`handover.state.${each ?? "all"}`)
    const isChosen = each === state
    return (
      <Button
        key={each ?? "all"}
        size="xs"
        variant={isChosen ? "filled" : "default"}
        aria-pressed={isChosen}
        onClick={() => onChange(each)}
      >
        {each === undefined || counts === undefined
          ? name
          : t("handover.counted", { state: name, count: counts[each] })}
      </Button>
    )
  }
  return (
    <div className={classes.filter} role="group" aria-label={t("handover.filter")}>
      {[undefined, ...HANDOVER_STATES].map(choice)}
    </div>
  )
}
