import { TextInput } from "@mantine/core"
import { contrast, isColour, LEGIBLE } from "@parley/core/reading"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { BLACK, WHITE } from "../../../theme/plainColours.ts"
import classes from "./BotForm.module.css"

/** The text colour that the widget uses on a colour: white if white is legible there, otherwise black. */
const inkOn = (colour: string): "white" | "black" => (contrast(WHITE, colour) >= LEGIBLE ? "white" : "black")

export interface ColourFieldProps {
  readonly value: string
  readonly isRefused: boolean
  readonly onChange: (colour: string) => void
}

/** The field for the bot's colour, picked or typed, with a sample of the text on it and beside it. */
export const ColourField = ({ value, isRefused, onChange }: ColourFieldProps) => {
  const { t } = useMessages()
  const isWhole = isColour(value)
  return (
    <div className={classes.colour}>
      <TextInput
        label={t("bots.colour")}
        description={isWhole ? <Legibility colour={value} /> : t("bots.colour.invalid")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={isRefused ? t("bots.colour.invalid") : undefined}
        value={value}
        maxLength={7}
        spellCheck={false}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
        leftSectionPointerEvents="all"
        leftSection={
          <input
            type="color"
            className={classes.picker}
            aria-label={t("bots.colour.pick")}
            value={isWhole ? value.toLowerCase() : BLACK}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        }
      />
      {isWhole && (
        <span className={classes.sample} style={{ backgroundColor: value, color: inkOn(value) }} aria-hidden="true">
          Aa
        </span>
      )}
    </div>
  )
}

const Legibility = ({ colour }: { readonly colour: string }) => {
  const { t, number } = useMessages()
  const ink = inkOn(colour)
  const ratio = contrast(ink === "white" ? WHITE : BLACK, colour)
  const words = t("bots.colour.contrast", {
    ink: t(`bots.colour.${ink}`),
    ratio: number(ratio, { maximumFractionDigits: 1 })
  })
  // The widget also uses the colour for text on white. If the colour is too pale for that, the widget darkens it.
  const isPale = contrast(colour, WHITE) < LEGIBLE
  return isPale ? `${words}. ${t("bots.colour.pale")}` : `${words}.`
}
