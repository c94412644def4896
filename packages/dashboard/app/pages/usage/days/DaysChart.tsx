import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts"
import type { Usage } from "../../../api/usage.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import classes from "./DaysChart.module.css"
import { creditsByDay, type DayOfUsage } from "./creditsByDay.ts"
import { useModelName } from "../../../messages/useModelName.ts"

/** Number of colours that distinguish models; further models share the last one. */
const COLOURS = 6
const HEIGHT = 288

const colourOf = (place: number): string => `var(--series-${Math.min(place, COLOURS - 1) + 1})`

/** Credits by day, a colour for each model. */
export const DaysChart = ({ usage }: { readonly usage: Usage }) => {
  const { t, number, calendarDay } = useMessages()
  const modelName = useModelName()
  const { days, models } = creditsByDay(usage)
  const label = t("usage.days.label", { from: calendarDay(usage.from), to: calendarDay(usage.to) })
  return (
    <figure className={classes.chart} aria-label={label}>
      <ul className={classes.legend}>
        {models.map((model, place) => (
          <li key={model}>
            <Swatch place={place} />
            {modelName(model)}
          </li>
        ))}
      </ul>
      <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width: 320, height: HEIGHT }}>
        <BarChart data={[...days]} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} barCategoryGap="22%" title={label}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tickFormatter={calendarDay}
            tickLine={false}
            axisLine={{ stroke: "var(--line)" }}
            tick={{ fill: "var(--text-quiet)", fontSize: 12 }}
            minTickGap={28}
            tickMargin={8}
          />
          <YAxis
            allowDecimals={false}
            tickFormatter={(credits: number) => number(credits, { notation: "compact" })}
            tickLine={false}
            axisLine={false}
            tick={{ fill: "var(--text-quiet)", fontSize: 12 }}
            width={40}
          />
          <Tooltip
            cursor={{ fill: "var(--ground-hover)" }}
            isAnimationActive={false}
            content={({ active, payload }) => {
              const day = payload?.[0]?.payload as DayOfUsage | undefined
              return active && day !== undefined ? <DayCard day={day} models={models} /> : null
            }}
          />
          {models.map((model, place) => (
            <Bar
              key={model}
              name={modelName(model)}
              dataKey={({ credits }: DayOfUsage) => credits[model] ?? 0}
              stackId="day"
              fill={colourOf(place)}
              maxBarSize={36}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </figure>
  )
}

const Swatch = ({ place }: { readonly place: number }) => (
  <svg width={10} height={10} viewBox="0 0 10 10" aria-hidden="true">
    <rect width={10} height={10} rx={3} fill={colourOf(place)} />
  </svg>
)

interface DayCardProps {
  readonly day: DayOfUsage
  readonly models: ReadonlyArray<string>
}

/** One day's numbers, beside the pointer. */
const DayCard = ({ day: { day, credits }, models }: DayCardProps) => {
  const { t, calendarDay } = useMessages()
  const modelName = useModelName()
  const used = models.map((model, place) => ({ model, place })).filter(({ model }) => (credits[model] ?? 0) > 0)
  return (
    <div className={classes.card}>
      <strong>{calendarDay(day)}</strong>
      {used.length === 0 && <span className={classes.line}>{t("count.credits", { count: 0 })}</span>}
      {used.map(({ model, place }) => (
        <span key={model} className={classes.line}>
          <Swatch place={place} />
          <span>{modelName(model)}</span>
          <span className={classes.amount}>{t("count.credits", { count: credits[model] ?? 0 })}</span>
        </span>
      ))}
    </div>
  )
}
