/** The colours of text for which the contrast with a chosen colour is computed. */
export const WHITE = "#ffffff"
export const BLACK = "#000000"

/** The colour of buttons, as `#rrggbb`: Parley's or the operator's. */
export const accentColour = (): string =>
  getComputedStyle(document.documentElement).getPropertyValue("--mantine-color-brand-7").trim()
