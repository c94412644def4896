/** True if a text is a colour of the form `#rrggbb`. */
export const isColour = (text: string): boolean => /^#[\da-f]{6}$/i.test(text)

/** The minimum contrast of text with its background (WCAG 2.2, 1.4.3: level AA). */
export const LEGIBLE = 4.5

const partsOf = (colour: string): readonly [red: number, green: number, blue: number] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
const luminance = (colour: string): number => {
  const [red, green, blue] = partsOf(colour)
  const linear = (part: number) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** The contrast of two colours, each `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Mixes a colour with another one; `share`, from 0 to 1, is the share of the other. */
export const mix = (colour: string, other: string, share: number): string => {
  const others = partsOf(other)
  const parts = partsOf(colour).map((part, place) => Math.round(part + ((others[place] ?? 0) - part) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`
}

const STEPS = 100

/**
 * Returns the colour nearest to `colour`, on the way to `end`, that is legible on each of the backgrounds; `end` if
 * there is none.
 */
export const legibleOn = (grounds: ReadonlyArray<string>, colour: string, end: string): string => {
  for (let step = 0; step < STEPS; step++) {
    const found = mix(colour, end, step / STEPS)
    if (grounds.every((ground) => contrast(found, ground) >= LEGIBLE)) return found
  }
  return end
}
