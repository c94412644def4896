/** True if a text is a colour in the form that bots use. */
export const isColour = (text: string): boolean => /^#[\da-f]{6}$/i.test(text)

/** The least contrast of text with its background (WCAG 2.2, 1.4.3). */
export const LEGIBLE = 4.5

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
const luminance = (colour: string): number => {
  const value = Number.parseInt(colour.slice(1), 16)
  const [red = 0, green = 0, blue = 0] = [value >> 16, (value >> 8) & 255, value & 255].map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, each `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** The text colour that the widget uses on a colour: white if it is legible, otherwise black, which then is. */
export const inkOn = (colour: string): "white" | "black" => (contrast("#ffffff", colour) >= LEGIBLE ? "white" : "black")
