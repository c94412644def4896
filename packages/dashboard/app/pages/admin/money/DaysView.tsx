import { SegmentedControl } from "@mantine/core"
import { Suspense, useState } from "react"
import type { StackedDaysProps } from "../../../charts/StackedDays.tsx"
import { useAdminMessages } from "../useAdminMessages.ts"
import { lazyPart } from "../../../parts/lazyPart.ts"
import classes from "../Admin.module.css"
import { Section } from "../Section.tsx"
import { Table } from "../Table.tsx"

const StackedDays = lazyPart(async () => (await import("../../../charts/StackedDays.tsx")).StackedDays)

type View = "chart" | "table"

export interface DaysViewProps extends Omit<StackedDaysProps, "label"> {
  readonly title: string
  readonly text?: string | undefined
  /** The text that is shown if there are no series. */
  readonly none: string
}

/** Values by day, as a chart and as a table with the same numbers. */
export const DaysView = ({ title, text, none, ...values }: DaysViewProps) => {
  const { t } = useAdminMessages()
  const [view, setView] = useState<View>("chart")
  const isEmpty = values.series.length === 0
  return (
    <Section
      title={title}
      text={text}
      tools={
        !isEmpty && (
          <SegmentedControl
            aria-label={`${title}: ${t("usage.days.view")}`}
            value={view}
            onChange={(chosen) => setView(chosen as View)}
            data={[
              { value: "chart", label: t("usage.days.chart") },
              { value: "table", label: t("usage.days.table") }
            ]}
          />
        )
      }
    >
      {isEmpty ? (
        <div className={classes.none}>{none}</div>
      ) : view === "table" ? (
        <DaysTable title={title} {...values} />
      ) : (
        <Suspense fallback={<div className={classes.waiting} />}>
          <StackedDays label={t("admin.money.chart", { title })} {...values} />
        </Suspense>
      )}
    </Section>
  )
}

/** The numbers of the chart, newest day first. */
const DaysTable = ({
  days,
  series,
  title,
  valueText
}: Omit<StackedDaysProps, "label"> & { readonly title: string }) => {
  const { t, calendarDay } = useAdminMessages()
  return (
    <Table
      label={title}
      rows={days.toReversed()}
      keyOf={({ day }) => day}
      none=""
      columns={[
        { name: t("usage.days.day"), cell: ({ day }) => calendarDay(day) },
        ...series.map(({ id, name }) => ({
          name,
          isNumber: true,
          cell: ({ values }: (typeof days)[number]) => valueText(values[id] ?? 0)
        }))
      ]}
    />
  )
}
