import type { BotReport } from "@parley/client"
import { StackedDays } from "../../../charts/StackedDays.tsx"
import { useHandoverMessages } from "../people/useHandoverMessages.ts"

/** A chart of the conversations of each day: those that the bot resolved alone, and the others. */
export const ReportChart = ({ report: { days } }: { readonly report: BotReport }) => {
  const { t, number } = useHandoverMessages()
  return (
    <StackedDays
      label={t("report.chart")}
      days={days.map(({ conversations, day, unresolved }) => ({
        day,
        values: { resolved: conversations - unresolved, unresolved }
      }))}
      series={[
        { id: "resolved", name: t("report.series.resolved") },
        { id: "unresolved", name: t("report.series.unresolved") }
      ]}
      valueText={(value) => number(value)}
    />
  )
}
