import { legibleOn, mix } from "./colours.ts"

export const WHITE = "#ffffff"
export const BLACK = "#000000"

/** The backgrounds of coloured text on pages: that of the page, and the one with the lowest contrast to the text. */
export const GROUNDS = {
  light: { page: WHITE, hovered: "#eceeec" },
  dark: { page: "#17181c", hovered: "#24262c" }
} as const

/** The colours of pages that are derived from an accent, each `#rrggbb`. */
export interface BrandColours {
  /** The background of white text, in both appearances. */
  readonly fill: string
  readonly fillHovered: string
  /** Links and other coloured text in the light appearance; `lightSoft` is the background of marked parts. */
  readonly lightText: string
  readonly lightSoft: string
  readonly darkText: string
  readonly darkSoft: string
}

/** The share of the accent in the background of marked parts. */
const SOFT = 0.12
const HOVERED = 0.18

/** Parley's own accent. */
const ACCENT = "#1d6b57"

/** The accents of a `branding`, each `#rrggbb`. */
export interface Accents {
  /** White text on this colour is legible; Parley's own accent unless given. */
  readonly accent?: string | undefined
  /** Legible on the dark background; derived from the accent unless given. */
  readonly accentDark?: string | undefined
}

/**
 * Returns the colours of pages that are derived from the accents of a `branding`; undefined if it has none. Text in the
 * accent is made darker (lighter in the dark appearance) until it is legible on each background (WCAG AA).
 */
export const brandColours = (accents: Accents): BrandColours | undefined => {
  if (accents.accent === undefined && accents.accentDark === undefined) return undefined
  const { accent = ACCENT, accentDark = accent } = accents
  const { dark, light } = GROUNDS
  const lightSoft = mix(light.page, accent, SOFT)
  const darkSoft = mix(dark.page, accentDark, SOFT)
  return {
    fill: accent,
    fillHovered: mix(accent, BLACK, HOVERED),
    lightText: legibleOn([light.page, light.hovered, lightSoft], accent, BLACK),
    lightSoft,
    darkText: legibleOn([dark.page, dark.hovered, darkSoft], accentDark, WHITE),
    darkSoft
  }
}
