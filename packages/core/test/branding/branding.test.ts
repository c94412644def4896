import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { brandColours, GROUNDS } from "../../src/branding/brandColours.ts"
import { contrast, isColour, LEGIBLE } from "../../src/branding/colours.ts"
import { problemsOfSettings } from "../../src/parleySettings.ts"

const problemOf = (branding: Readonly<Record<string, unknown>>) =>
  problemsOfSettings({ branding }).map(({ expected, field }) => `${field}: ${expected}`)

const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

describe("a brand", () => {
  it("is taken with a name, a logo and colours that are legible, or with some of them", () => {
    const logo = `data:image/svg+xml;base64,${btoa("<svg/>")}`
    expect(problemOf({ name: "Acme Möbel & Söhne", logo, accent: "#1F4FD8", accentDark: "#9fb6ff" })).toEqual([])
    expect(problemOf({ name: "می‌خواهم" })).toEqual([])
    expect(problemOf({})).toEqual([])
  })

  it("is refused with a colour of another form, and with a name of several lines or a foreign picture", () => {
    for (const accent of ["blue", "#12f", "rgb(0 0 0)", "#1f4fd8ff", "#1f4fd8;}"]) {
      expect(problemOf({ accent })).toEqual(["branding.accent: a colour of the form #rrggbb, for example #1d6b57"])
    }
    for (const name of ["", " ", " Acme", "a\nb", "a\u202eb", "x".repeat(61)]) {
      expect(problemOf({ name })).toEqual(["branding.name: a name of 1 to 60 characters in one line"])
    }
    const tooLarge = `data:image/png;base64,${"A".repeat(90_000)}`
    for (const logo of ["/logo.svg", "https://example.org/l.svg", "data:text/html;base64,AA==", tooLarge]) {
      expect(problemOf({ logo })).toEqual(["branding.logo: an SVG or PNG picture of at most 64 KB"])
    }
  })

  it("is refused with colours that are hardly legible, with their contrast and a colour that is accepted", () => {
    expect(problemOf({ accent: "#ff8800" })).toEqual([
      "branding.accent: a colour with which white text has a contrast of 4.5:1 or more (WCAG AA); this one has 2.39:1: choose a darker colour, for example #b35f00"
    ])
    expect(problemOf({ accent: "#b35f00" })).toEqual([])
    expect(problemOf({ accentDark: "#00205b" })).toEqual([
      "branding.accentDark: a colour whose contrast with the dark ground #24262c is 4.5:1 or more (WCAG AA); this one has 1.02:1: choose a lighter colour, for example #7d8dab"
    ])
    expect(problemOf({ accentDark: "#7d8dab" })).toEqual([])
    // Just too low: rounded up, it would look sufficient.
    expect(problemOf({ accent: "#777777" })[0]).toContain("this one has 4.47:1")
  })

  it("has legible text on every ground, whichever colour is accepted", () => {
    fc.assert(
      fc.property(anyColour, anyColour, (accent, accentDark) => {
        fc.pre(problemOf({ accent }).length === 0)
        const given = problemOf({ accentDark }).length === 0 ? accentDark : undefined
        const colours = brandColours({ accent, accentDark: given })
        if (colours === undefined) throw new Error("There are no colours.")
        expect(Object.values(colours).every(isColour)).toBe(true)
        const legible: ReadonlyArray<readonly [string, string]> = [
          ["#ffffff", colours.fill],
          ["#ffffff", colours.fillHovered],
          ...[GROUNDS.light.page, GROUNDS.light.hovered, colours.lightSoft].map(
            (each) => [colours.lightText, each] as const
          ),
          ...[GROUNDS.dark.page, GROUNDS.dark.hovered, colours.darkSoft].map(
            (each) => [colours.darkText, each] as const
          )
        ]
        for (const [text, ground] of legible) expect(contrast(text, ground)).toBeGreaterThanOrEqual(LEGIBLE)
      })
    )
    expect(brandColours({})).toBeUndefined()
  })
})
