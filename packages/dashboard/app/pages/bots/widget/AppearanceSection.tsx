import { NativeSelect, TextInput, Title } from "@mantine/core"
import { isColour } from "@parley/core/reading"
import { BOT_LIMITS } from "../../../api/bots.ts"
import type { BotDraft } from "../editor/botDraft.ts"
import classes from "../editor/BotForm.module.css"
import { ColourField } from "../editor/ColourField.tsx"
import { useWidgetMessages } from "./useWidgetMessages.ts"

const SIDES = ["auto", "left", "right"] as const
const FONTS = ["system", "humanist", "rounded", "serif", "mono"] as const
const SCHEMES = ["auto", "light", "dark"] as const
/**
 * The radii that the form offers, in pixels. The HTTP interface accepts any number between the smallest and the
 * largest.
 */
const RADII = [0, 8, 18, 24] as const

export interface AppearanceSectionProps {
  readonly draft: BotDraft
  readonly onChange: (change: Partial<BotDraft>) => void
  /** The names of the settings that the server refused. */
  readonly refused: ReadonlySet<string>
}

/** The fields for the look of the widget. */
export const AppearanceSection = ({ draft, onChange, refused }: AppearanceSectionProps) => {
  const { t } = useWidgetMessages()
  const { cornerRadius } = draft
  const isOffered = RADII.some((radius) => radius === cornerRadius)
  return (
    <section className={classes.section} aria-label={t("widget.section")}>
      <Title order={2} size="h4">
        {t("widget.section")}
      </Title>
      <ColourField
        value={draft.primaryColor}
        isRefused={refused.has("primaryColor") && !isColour(draft.primaryColor)}
        onChange={(primaryColor) => onChange({ primaryColor })}
      />
      <TextInput
        label={t("widget.launcher")}
        description={t("widget.launcher.text")}
        maxLength={BOT_LIMITS.launcherText}
        value={draft.launcherText}
        error={
          refused.has("launcherText") ? t("widget.launcher.invalid", { most: BOT_LIMITS.launcherText }) : undefined
        }
        onChange={({ currentTarget: { value } }) => onChange({ launcherText: value })}
      />
      <Choice
        label={t("widget.side")}
        value={draft.position}
        values={SIDES}
        labelOf={(side) => t(`widget.side.${side}`)}
        onChange={(position) => onChange({ position })}
      />
      <NativeSelect
        label={t("widget.radius")}
        value={String(cornerRadius)}
        onChange={({ currentTarget: { value } }) => onChange({ cornerRadius: Number(value) })}
        data={[
          ...RADII.map((radius) => ({ value: String(radius), label: t(`widget.radius.${radius}`) })),
          ...(isOffered
            ? []
            : [{ value: String(cornerRadius), label: t("widget.radius.own", { pixels: cornerRadius }) }])
        ]}
      />
      <Choice
        label={t("widget.font")}
        description={t("widget.font.text")}
        value={draft.font}
        values={FONTS}
        labelOf={(font) => t(`widget.font.${font}`)}
        onChange={(font) => onChange({ font })}
      />
      <Choice
        label={t("widget.scheme")}
        value={draft.colorScheme}
        values={SCHEMES}
        labelOf={(scheme) => t(`widget.scheme.${scheme}`)}
        onChange={(colorScheme) => onChange({ colorScheme })}
      />
    </section>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly description?: string
  readonly value: Value
  readonly values: ReadonlyArray<Value>
  readonly labelOf: (value: Value) => string
  readonly onChange: (value: Value) => void
}

const Choice = <Value extends string>(props: ChoiceProps<Value>) => {
  const { label, description, value, values, labelOf, onChange } = props
  return (
    <NativeSelect
      label={label}
      description={description}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
      data={values.map((each) => ({ value: each, label: labelOf(each) }))}
    />
  )
}
