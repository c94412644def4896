import type { UsageReport } from "@parley/client"
import { SegmentedControl, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { usageQuery } from "../../../api/usage.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Loading } from "../../../shell/Loading.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { DaysTable } from "./DaysTable.tsx"
import classes from "./DaysSection.module.css"
import shared from "../UsagePage.module.css"
import { lazyPart } from "../../../parts/lazyPart.ts"

const DaysChart = lazyPart(async () => (await import("./DaysChart.tsx")).DaysChart)

const RANGES = [7, 30, 90] as const

type View = "chart" | "table"

/** The usage of the last days, as a chart and as a table. */
export const DaysSection = () => {
  const { t } = useMessages()
  const [days, setDays] = useState(30)
  const [view, setView] = useState<View>("chart")
  const { data, error, refetch } = useQuery(usageQuery(days))
  const credits = data?.usage.reduce((sum, row) => sum + row.credits, 0) ?? 0
  const replies = data?.usage.reduce((sum, row) => sum + row.replies, 0) ?? 0
  const sum = t("usage.days.sum", {
    credits: t("count.credits", { count: credits }),
    replies: t("usage.days.replies", { count: replies })
  })
  return (
    <section aria-label={t("usage.days")}>
      <div className={shared.head}>
        <div>
          <Title order={2} size="h4">
            {t("usage.days")}
          </Title>
          <Text size="sm" c="dimmed" aria-live="polite">
            {data === undefined ? " " : sum}
          </Text>
        </div>
        <div className={shared.tools}>
          <SegmentedControl
            aria-label={t("usage.days.range")}
            value={String(days)}
            onChange={(chosen) => setDays(Number(chosen))}
            data={RANGES.map((count) => ({ value: String(count), label: t("usage.days.last", { count }) }))}
          />
          <SegmentedControl
            aria-label={t("usage.days.view")}
            value={view}
            onChange={(chosen) => setView(chosen as View)}
            data={[
              { value: "chart", label: t("usage.days.chart") },
              { value: "table", label: t("usage.days.table") }
            ]}
          />
        </div>
      </div>
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Days usage={data} view={view} />
      )}
      {data !== undefined && data.usage.length > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {t("usage.days.utc")}
        </Text>
      )}
    </section>
  )
}

const Days = ({ usage, view }: { readonly usage: UsageReport; readonly view: View }) => {
  const { t } = useMessages()
  if (usage.usage.length === 0) return <div className={classes.none}>{t("usage.days.none")}</div>
  if (view === "table") return <DaysTable usage={usage} />
  return (
    <Suspense fallback={<div className={classes.waiting} />}>
      <DaysChart usage={usage} />
    </Suspense>
  )
}
