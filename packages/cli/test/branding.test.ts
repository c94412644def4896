import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import type { Environment } from "../src/config/EnvironmentReader.ts"
import { commentedColours } from "../src/config/environmentFile.ts"
import { readConfig, readSettings } from "../src/config/readConfig.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { serveHere } from "./processes/serveHere.ts"

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const SVG = `<?xml version="1.0"?>\n<!-- a mark -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>`
const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex")
const write = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder.path, name), content)
  return name
}
const problemsOf = (environment: Environment) => readSettings(environment, folder.path).problems

describe("the variables of a brand", () => {
  it("are read with a logo of the working folder, by its content, and without them there is no brand", async () => {
    const environment = {
      PARLEY_BRAND_NAME: "Acme & Co",
      PARLEY_BRAND_LOGO: write("mark.picture", SVG),
      PARLEY_BRAND_ACCENT: "#1f4fd8",
      PARLEY_BRAND_ACCENT_DARK: "#9fb6ff"
    }
    const { settings } = await Effect.runPromise(readConfig(environment, folder.path))
    expect(settings.branding).toEqual({
      name: "Acme & Co",
      logo: `data:image/svg+xml;base64,${btoa(SVG)}`,
      accent: "#1f4fd8",
      accentDark: "#9fb6ff"
    })
    const png = readSettings({ PARLEY_BRAND_LOGO: write("mark.png", PNG) }, folder.path)
    expect(png.config.settings.branding?.logo).toBe(`data:image/png;base64,${PNG.toString("base64")}`)
    expect(Object.values(readSettings({}, folder.path).config.settings.branding ?? {})).toEqual(
      Array.from({ length: 4 })
    )
  })

  it("are refused together, each with what to do, and colours with their contrast", () => {
    expect(
      problemsOf({
        PARLEY_BRAND_NAME: "x".repeat(61),
        PARLEY_BRAND_LOGO: write("page.svg", "<html><script>alert(1)</script></html>"),
        PARLEY_BRAND_ACCENT: "#ffd400",
        PARLEY_BRAND_ACCENT_DARK: "navy"
      })
    ).toEqual([
      "PARLEY_BRAND_NAME: expected a name of 1 to 60 characters in one line",
      "PARLEY_BRAND_LOGO: expected an SVG or PNG picture of at most 64 KB",
      "PARLEY_BRAND_ACCENT: expected a colour with which white text has a contrast of 4.5:1 or more (WCAG AA); this one has 1.43:1: choose a darker colour, for example #8c7500",
      "PARLEY_BRAND_ACCENT_DARK: expected a colour of the form #rrggbb, for example #1d6b57"
    ])
    expect(problemsOf({ PARLEY_BRAND_LOGO: "missing.svg" })).toEqual(["PARLEY_BRAND_LOGO: the file cannot be read"])
    const large = Buffer.concat([PNG, Buffer.alloc(65_536)])
    expect(problemsOf({ PARLEY_BRAND_LOGO: write("large.png", large) })).toHaveLength(1)
  })
})

describe("a colour in a .env file", () => {
  it("is refused without quotation marks, where it would count as a comment and not be set", () => {
    const lines = ["PARLEY_BRAND_ACCENT=#1f4fd8", 'A="#1f4fd8"', "B= # none", "# C=#1f4fd8", "D=x#1f4fd8"]
    expect(commentedColours(lines.join("\n"))).toEqual([
      "PARLEY_BRAND_ACCENT: expected quotation marks around the colour in .env, where # begins a comment"
    ])
  })
})

describe("a server of a brand", () => {
  it("answers with its name, logo and colours on the page and on the sign-in page by e-mail", async () => {
    await using server = await serveHere(folder.path, {
      PARLEY_BRAND_NAME: '<Acme> & "Co"',
      PARLEY_BRAND_LOGO: write("logo.svg", SVG),
      PARLEY_BRAND_ACCENT: "#1f4fd8",
      PARLEY_SMTP_URL: "log:"
    })
    const textOf = async (path: string) => (await fetch(server.url + path)).text()
    const page = await textOf("/shared/any")
    expect(page).toContain("<title>&lt;Acme&gt; &amp; &quot;Co&quot;</title>")
    expect(page).toContain('href="/brand-logo.svg"')
    expect(await textOf("/brand.css")).toContain("--mantine-color-brand-7: #1f4fd8;")
    expect(await textOf("/brand-logo.svg")).toBe(SVG)
    const signIn = await fetch(`${server.url}/sign-in`)
    const policy = signIn.headers.get("content-security-policy")
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self';/)
    const html = await signIn.text()
    expect(html).toContain("<title>Sign in · &lt;Acme&gt; &amp; &quot;Co&quot;</title>")
    expect(html).toContain(`<img src="data:image/svg+xml;base64,${btoa(SVG)}" alt="">`)
    expect(html).toContain("background: #1f4fd8; color: #fff")
    expect(html).not.toContain("<Acme>")
  })
})
