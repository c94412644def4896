import { Context, Schema } from "effect"
import { fromVariable } from "../storage/settingVariables.ts"
import { BLACK, GROUNDS, WHITE } from "./brandColours.ts"
import { contrast, isColour, LEGIBLE, legibleOn } from "./colours.ts"

/** Allows invisible joiners (U+200C and U+200D), because they join letters in some scripts. */
const NAME = /^(?! )(?:[^\p{C}\p{Zl}\p{Zp}]|\u200c|\u200d){1,60}(?<! )$/u
const SAID_NAME = "a name of 1 to 60 characters in one line"

/** The maximum size of a logo in bytes: each sign-in page contains the logo. */
export const LOGO_BYTES_MAX = 65_536
const LOGO = /^data:image\/(?:png|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/
const SAID_LOGO = `an SVG or PNG picture of at most ${LOGO_BYTES_MAX / 1_024} KB`
const SAID_COLOUR = "a colour of the form #rrggbb, for example #1d6b57"

const isLogo = (text: string): boolean => {
  const [, bytes] = LOGO.exec(text) ?? []
  return bytes !== undefined && bytes.length <= Math.ceil(LOGO_BYTES_MAX / 3) * 4
}

/** Rounds a contrast down, so that a refused contrast never looks sufficient. */
const ratio = (value: number): string => `${(Math.floor(value * 100) / 100).toFixed(2)}:1`

const checked = (problemOf: (text: string) => string | undefined) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const problem = problemOf(text)
      return problem === undefined || `Expected ${problem}`
    })
  )

/**
 * A colour that must be legible with the colour `against`. `nearest` is the legible colour that the message proposes.
 */
const colour = (against: string, towards: string, words: (found: string, nearest: string) => string) =>
  checked((text) => {
    if (!isColour(text)) return SAID_COLOUR
    const found = contrast(text, against)
    return found >= LEGIBLE ? undefined : words(ratio(found), legibleOn([against], text, towards))
  })

const NEEDED = `${LEGIBLE}:1 or more (WCAG AA)`

/** The brand of the operator on the pages for people. */
export const BrandingData = Schema.Struct({
  /** The name of the product. */
  name: fromVariable(
    checked((text) => (NAME.test(text) ? undefined : SAID_NAME)),
    { name: "PARLEY_BRAND_NAME", form: "text" }
  ),
  /** A square picture: an SVG or a PNG as a `data:` URL in base64. */
  logo: fromVariable(
    checked((text) => (isLogo(text) ? undefined : SAID_LOGO)),
    { name: "PARLEY_BRAND_LOGO", form: "picture" }
  ),
  /** The colour of buttons, on which white text must be legible, and of links. */
  accent: fromVariable(
    colour(
      WHITE,
      BLACK,
      (found, nearest) =>
        `a colour with which white text has a contrast of ${NEEDED}; this one has ${found}: choose a darker colour, for example ${nearest}`
    ),
    { name: "PARLEY_BRAND_ACCENT", form: "text" }
  ),
  /** The colour of links in the dark appearance; derived from the accent unless given. */
  accentDark: fromVariable(
    colour(
      GROUNDS.dark.hovered,
      WHITE,
      (found, nearest) =>
        `a colour whose contrast with the dark ground ${GROUNDS.dark.hovered} is ${NEEDED}; this one has ${found}: choose a lighter colour, for example ${nearest}`
    ),
    { name: "PARLEY_BRAND_ACCENT_DARK", form: "text" }
  )
})

/** The brand in force: that of Parley unless configured. */
export class Branding extends Context.Reference<{
  readonly [Name in keyof typeof BrandingData.Type]: string | undefined
}>("@parley/core/branding/Branding", {
  defaultValue: () => ({ name: undefined, logo: undefined, accent: undefined, accentDark: undefined })
}) {}
