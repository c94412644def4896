import { legibleOn, mix } from "./colours.ts"

export const WHITE = "#ffffff"
export const BLACK = "#000000"

/** The grounds of the pages on which coloured text stands: the page, and the one of the least contrast with it. */
export const GROUNDS = {
  light: { page: WHITE, hovered: "#eceeec" },
  dark: { page: "#17181c", hovered: "#24262c" }
} as const

/** The colours of pages that follow from an accent, each `#rrggbb`. */
export interface BrandColours {
  /** Under white text, in both appearances. */
  readonly fill: string
  readonly fillHovered: string
  /** Links and other coloured text of the light appearance, and the soft ground of marked parts. */
  readonly lightText: string
  readonly lightSoft: string
  readonly darkText: string
  readonly darkSoft: string
}

/** The share of the accent in a soft ground. */
const SOFT = 0.12
const HOVERED = 0.18

/** Parley's own. */
const ACCENT = "#1d6b57"

/** The colours of a `branding`, each `#rrggbb`. */
export interface Accents {
  /** White text is legible on it; without it, Parley's own. */
  readonly accent?: string | undefined
  /** Legible on the dark ground; without it, one that follows from the accent. */
  readonly accentDark?: string | undefined
}

/**
 * The colours of pages that follow from the accents of a `branding`; undefined if it has none. Text in the accent is made
 * darker, and for the dark appearance lighter, until it is legible on each ground (WCAG AA).
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
