import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "./StackedDays.module.css"

/** The number of colours for series. Further series share the last colour. */
const COLOURS = 6
const HEIGHT = 288

const colourOf = (place: number): string => `var(--series-${Math.min(place, COLOURS - 1) + 1})`

/** The values of a day, by the id of their series. */
export interface DayOfValues {
  readonly day: string
  readonly values: Readonly<Record<string, number>>
}

/** A series of values, drawn in its own colour. */
export interface Series {
  readonly id: string
  readonly name: string
}

export interface StackedDaysProps {
  /** Describes the chart to screen readers. */
  readonly label: string
  readonly days: ReadonlyArray<DayOfValues>
  readonly series: ReadonlyArray<Series>
  /** Formats a value for people. */
  readonly valueText: (value: number) => string
}

/** Values by day, as bars of stacked series. The arrow keys move from day to day. */
export const StackedDays = ({ label, days, series, valueText }: StackedDaysProps) => {
  const { number, calendarDay } = useMessages()
  return (
    <figure className={classes.chart} aria-label={label}>
      <ul className={classes.legend}>
        {series.map(({ id, name }, place) => (
          <li key={id}>
            <Swatch place={place} />
            {name}
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
            tickFormatter={(value: number) => number(value, { notation: "compact" })}
            tickLine={false}
            axisLine={false}
            tick={{ fill: "var(--text-quiet)", fontSize: 12 }}
            width={40}
          />
          <Tooltip
            cursor={{ fill: "var(--ground-hover)" }}
            isAnimationActive={false}
            content={({ active, payload }) => {
              const day = payload?.[0]?.payload as DayOfValues | undefined
              return active && day !== undefined ? <DayCard day={day} series={series} valueText={valueText} /> : null
            }}
          />
          {series.map(({ id, name }, place) => (
            <Bar
              key={id}
              name={name}
              dataKey={({ values }: DayOfValues) => values[id] ?? 0}
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

interface DayCardProps extends Pick<StackedDaysProps, "series" | "valueText"> {
  readonly day: DayOfValues
}

/** The numbers of one day, shown beside the pointer. */
const DayCard = ({ day: { day, values }, series, valueText }: DayCardProps) => {
  const { calendarDay } = useMessages()
  const used = series.map((one, place) => ({ ...one, place })).filter(({ id }) => (values[id] ?? 0) > 0)
  return (
    <div className={classes.card}>
      <strong>{calendarDay(day)}</strong>
      {used.length === 0 && <span className={classes.line}>{valueText(0)}</span>}
      {used.map(({ id, name, place }) => (
        <span key={id} className={classes.line}>
          <Swatch place={place} />
          <span>{name}</span>
          <span className={classes.amount}>{valueText(values[id] ?? 0)}</span>
        </span>
      ))}
    </div>
  )
}
