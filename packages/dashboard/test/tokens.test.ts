import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brandColours, contrast, LEGIBLE } from "@parley/core/reading"
import { describe, expect, it } from "vitest"

const folder = fileURLToPath(new URL("../", import.meta.url))
const textOf = (path: string) => readFileSync(join(folder, path), "utf8")

/** A colour as it stands in a style sheet or in a string of a script; a private name such as `this.#add` is none. */
const RAW_COLOUR =
  /(?<![\w.&#])#(?:[\da-fA-F]{8}|[\da-fA-F]{6}|[\da-fA-F]{3,4})\b(?!-)|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(|:\s*(?:white|black|red|green|blue|gr[ae]y|orange|yellow|purple)\s*[;}]/g

/** Lines of comments and of private names, in which a number sign begins no colour. */
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, "")

const straysIn = (text: string, pattern: RegExp) => withoutComments(text).match(pattern) ?? []

/** The theme has the colours; files of `public` are pages of their own; texts name colours as examples. */
const sources = globSync("{app,gallery}/**/*.{css,ts,tsx}", { cwd: folder }).filter(
  (path) => !/^app\/(?:theme|public|messages)\//.test(path)
)

const rules = (scheme: "light" | "dark"): ReadonlyMap<string, string> => {
  const [light = "", dark = ""] = withoutComments(textOf("app/theme/tokens.css")).split(
    '[data-mantine-color-scheme="dark"]'
  )
  const read = (text: string) =>
    [...text.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value] as const)
  return new Map([...read(light), ...(scheme === "dark" ? read(dark) : [])])
}

describe("the tokens of the theme", () => {
  it("are the only colours of the application", () => {
    expect(sources.length).toBeGreaterThan(200)
    const strays = sources.flatMap((path) => straysIn(textOf(path), RAW_COLOUR).map((stray) => `${path}: ${stray}`))
    expect(strays).toEqual([])
  })

  it.each([
    "color: #fff;",
    "a { color: red }",
    "background: rgb(0 0 0 / 4%)",
    'fill: "#12ab56"',
    "stroke: oklch(60% 0 0)"
  ])("are missed by %s", (text) => expect(straysIn(text, RAW_COLOUR)).toHaveLength(1))

  it.each(["color: var(--text);", "this.#add(1)", 'href="#content"', "/* #fff */", "transparent"])(
    "are not missed by %s",
    (text) => expect(straysIn(text, RAW_COLOUR)).toEqual([])
  )

  it("are the colours that the browser gives its own bars", () => {
    const bars = [...textOf("app/index.html").matchAll(/scheme: (light|dark)\)" content="(#\w+)"/g)]
    expect(bars.map(([, scheme, colour]) => [scheme, colour])).toEqual([
      ["light", rules("light").get("--ground")],
      ["dark", rules("dark").get("--ground")]
    ])
  })

  it.each(["light", "dark"] as const)("have %s grounds on which the text of every brand is legible", (scheme) => {
    const tokens = rules(scheme)
    const grounds = ["--ground", "--ground-raised", "--ground-hover"].map((name) => tokens.get(name) ?? "")
    for (const accent of ["#1d6b57", "#a3195b", "#1f4fd8", "#757575", "#00205b", "#c2410c"]) {
      const colours = brandColours({ accent })
      for (const ground of grounds) {
        const text = scheme === "light" ? colours?.lightText : colours?.darkText
        expect(contrast(text ?? "", ground), `${accent} on ${ground}`).toBeGreaterThanOrEqual(LEGIBLE)
      }
    }
  })
})
