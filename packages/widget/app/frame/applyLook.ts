import type { LauncherLook, Theme } from "../../src/host/messages.ts"
import type { BotConfig } from "./api/BotConfig.ts"
import { checkedColour, GROUNDS, inkOn, legibleOn } from "./palette.ts"

/**
 * Applies a bot's look by CSS properties that are set through the CSS object model, which the page's policy allows. The
 * embedding page's theme overrides the bot's. Returns the look of the launcher.
 */
export const applyLook = ({ colorScheme, cornerRadius, font, primaryColor }: BotConfig, theme: Theme): LauncherLook => {
  const { dataset, style } = document.documentElement
  const fill = checkedColour(primaryColor)
  const ink = inkOn(fill)
  const radius = `${cornerRadius}px`
  const values = { fill, ink, onLight: legibleOn(fill, GROUNDS.light), onDark: legibleOn(fill, GROUNDS.dark), radius }
  for (const [name, value] of Object.entries(values)) style.setProperty(`--${name}`, value)
  dataset["theme"] = theme === "auto" ? colorScheme : theme
  dataset["font"] = font
  return { fill, ink, radius, font: getComputedStyle(document.documentElement).fontFamily }
}
