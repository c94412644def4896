/**
 * Derives further colours from the one colour of a bot, so that text and shapes on it and beside it are legible (WCAG
 * 2.2, 1.4.3 and 1.4.11).
 */

type Rgb = readonly [number, number, number]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]
/** The least contrast between text and its background. */
const LEGIBLE = 4.5

/** The chat's background colours. */
export const GROUNDS = { light: "#ffffff", dark: "#16181d" } as const

const parse = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const format = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`

/** Relative luminance as WCAG defines it. */
const luminance = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, each `#rrggbb`, from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(parse(one)), luminance(parse(other))].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((part, index) => part + (to[index]! - part) * share) as unknown as Rgb

/** Returns black or white: the contrast of one of them with any colour is at least 4.58. */
export const inkOn = (colour: string): string => {
  const [white, black] = [format(WHITE), format(BLACK)]
  // White is preferred if it is legible, because people expect white text on a strong colour.
  return contrast(white, colour) >= LEGIBLE ? white : black
}

/** Returns the colour itself, or a lighter or darker version that is legible on `ground`. */
export const legibleOn = (colour: string, ground: string): string => {
  const towards = contrast("#ffffff", ground) > contrast("#000000", ground) ? WHITE : BLACK
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = format(mix(parse(colour), towards, share))
    if (contrast(mixed, ground) >= LEGIBLE) return mixed
  }
  return format(towards)
}

/** Returns the colour as `#rrggbb`, or a neutral colour if the given one is invalid. */
export const checkedColour = (colour: unknown): string =>
  typeof colour === "string" && /^#[\da-f]{6}$/i.test(colour) ? colour.toLowerCase() : "#3b5bdb"
