import type { Theme } from "../../src/host/messages.ts"
import { checkedColour, GROUNDS, inkOn, legibleOn } from "./palette.ts"

/** The colours that follow from a bot's. */
export interface Look {
  readonly fill: string
  readonly ink: string
  /** The legible text colour on each background. */
  readonly onLight: string
  readonly onDark: string
}

/** Accepts any value for a bot's colour. */
export const lookOf = (colour: string): Look => {
  const fill = checkedColour(colour)
  return { fill, ink: inkOn(fill), onLight: legibleOn(fill, GROUNDS.light), onDark: legibleOn(fill, GROUNDS.dark) }
}

/** Applies the look to the styles, through the CSS object model, which the page's policy allows. */
export const applyLook = (look: Look, theme: Theme): void => {
  const root = document.documentElement
  for (const [name, value] of Object.entries(look)) root.style.setProperty(`--${name}`, value)
  root.dataset["theme"] = theme
}
