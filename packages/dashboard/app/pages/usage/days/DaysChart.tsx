import type { UsageReport } from "@parley/client"
import { StackedDays } from "../../../charts/StackedDays.tsx"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { useModelName } from "../../../messages/useModelName.ts"
import { creditsByDay } from "./creditsByDay.ts"

/** A chart of the credits by day, with a colour for each model. */
export const DaysChart = ({ usage }: { readonly usage: UsageReport }) => {
  const { t, calendarDay } = useMessages()
  const modelName = useModelName()
  const { days, models } = creditsByDay(usage)
  return (
    <StackedDays
      label={t("usage.days.label", { from: calendarDay(usage.from), to: calendarDay(usage.to) })}
      days={days.map(({ day, credits }) => ({ day, values: credits }))}
      series={models.map((id) => ({ id, name: modelName(id) }))}
      valueText={(count) => t("count.credits", { count })}
    />
  )
}
