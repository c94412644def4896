import type { Theme } from "../../src/host/messages.ts"
import { checkedColour, GROUNDS, inkOn, legibleOn } from "./palette.ts"

/** The colours that follow from a bot's. */
export interface Look {
  readonly fill: string
  readonly ink: string
  /** What is legible as text on each ground. */
  readonly onLight: string
  readonly onDark: string
}

/** Takes a bot's colour, whatever it is. */
export const lookOf = (colour: string): Look => {
  const fill = checkedColour(colour)
  return { fill, ink: inkOn(fill), onLight: legibleOn(fill, GROUNDS.light), onDark: legibleOn(fill, GROUNDS.dark) }
}

/** Gives the look to the styles. Set through the object model, which the page's policy lets pass. */
export const applyLook = (look: Look, theme: Theme): void => {
  const root = document.documentElement
  for (const [name, value] of Object.entries(look)) root.style.setProperty(`--${name}`, value)
  root.dataset["theme"] = theme
}
