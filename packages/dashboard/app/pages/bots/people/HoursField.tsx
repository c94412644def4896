import { ActionIcon, Button, Input, NativeSelect, Switch, TextInput } from "@mantine/core"
import type { BotDraft } from "../editor/botDraft.ts"
import classes from "../editor/BotForm.module.css"
import { Icon } from "../../../theme/Icon.tsx"
import people from "./people.module.css"
import { useHandoverMessages } from "./useHandoverMessages.ts"

type Hours = NonNullable<BotDraft["openingHours"]>
type Range = Hours["ranges"][number]

export interface HoursFieldProps {
  readonly hours: Hours | null
  readonly isRefused: boolean
  readonly onChange: (hours: Hours | null) => void
}

const DAYS = [1, 2, 3, 4, 5, 6, 7]
const MOST_RANGES = 50
/** The end of a day: the server stores 24:00, which a time field of browsers cannot show. */
const MIDNIGHT = { stored: "24:00", typed: "00:00" }

/** The name of a day of the week; 1 is Monday. */
const dayName = (language: string, day: number): string =>
  // 2024-01-01 was a Monday.
  new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, day))

const officeHours = (): Hours => ({
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  ranges: DAYS.slice(0, 5).map((day) => ({ day, from: "09:00", to: "17:00" }))
})

/** The field for the hours at which people answer: ranges in the week, or always. */
export const HoursField = ({ hours, isRefused, onChange }: HoursFieldProps) => {
  const { t } = useHandoverMessages()
  const change = (place: number, range: Partial<Range>) => {
    if (hours === null) return
    onChange({ ...hours, ranges: hours.ranges.map((each, at) => (at === place ? { ...each, ...range } : each)) })
  }
  return (
    <fieldset className={classes.group}>
      <legend className={people.unseen}>{t("handover.hours")}</legend>
      <Switch
        label={t("handover.hours")}
        description={t("handover.hours.text")}
        checked={hours !== null}
        onChange={({ currentTarget: { checked } }) => onChange(checked ? officeHours() : null)}
      />
      {hours !== null && (
        <>
          <TextInput
            label={t("handover.zone")}
            value={hours.timeZone}
            onChange={({ currentTarget: { value } }) => onChange({ ...hours, timeZone: value })}
          />
          {hours.ranges.map((range, place) => (
            <RangeRow
              key={place}
              range={range}
              number={place + 1}
              onChange={(next) => change(place, next)}
              onRemove={
                hours.ranges.length === 1
                  ? undefined
                  : () => onChange({ ...hours, ranges: hours.ranges.filter((_, at) => at !== place) })
              }
            />
          ))}
          {hours.ranges.length < MOST_RANGES && (
            <div>
              <Button
                variant="default"
                size="xs"
                onClick={() =>
                  onChange({ ...hours, ranges: [...hours.ranges, { day: 1, from: "09:00", to: "17:00" }] })
                }
              >
                {t("handover.range.add")}
              </Button>
            </div>
          )}
        </>
      )}
      {isRefused && <Input.Error>{t("handover.hours.invalid")}</Input.Error>}
    </fieldset>
  )
}

interface RangeRowProps {
  readonly range: Range
  /** The number of the range, beginning with 1. */
  readonly number: number
  readonly onChange: (range: Partial<Range>) => void
  /** Removes the range; undefined for the only one. */
  readonly onRemove: (() => void) | undefined
}

const RangeRow = ({ number, onChange, onRemove, range: { day, from, to } }: RangeRowProps) => {
  const { t, language } = useHandoverMessages()
  return (
    <div className={people.range} role="group" aria-label={t("handover.range", { number })}>
      <NativeSelect
        aria-label={t("handover.range.day", { number })}
        value={String(day)}
        onChange={({ currentTarget: { value } }) => onChange({ day: Number(value) })}
        data={DAYS.map((each) => ({ value: String(each), label: dayName(language, each) }))}
      />
      <TextInput
        type="time"
        aria-label={t("handover.range.from", { number })}
        value={from}
        onChange={({ currentTarget: { value } }) => onChange({ from: value })}
      />
      <TextInput
        type="time"
        aria-label={t("handover.range.to", { number })}
        value={to === MIDNIGHT.stored ? MIDNIGHT.typed : to}
        onChange={({ currentTarget: { value } }) =>
          onChange({ to: value === MIDNIGHT.typed ? MIDNIGHT.stored : value })
        }
      />
      {onRemove !== undefined && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("handover.range.remove", { number })}
          onClick={onRemove}
        >
          <Icon name="close" />
        </ActionIcon>
      )}
    </div>
  )
}
