import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import { startServer } from "../support/runningServer.ts"

const NAME = "Kontorhaus Assistant"
const ACCENT = "#a3195b"
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <circle cx="16" cy="16" r="15" fill="#d1387f"/><path fill="#fff" d="M10 8h4v6l6-6h5l-8 8 8 8h-5l-6-6v6h-4z"/></svg>`

interface Look {
  readonly width: number
  readonly colorScheme: "light" | "dark"
}

export const BRAND_LOOKS: ReadonlyArray<Look> = [1280, 800, 360].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" }
])

const fillOf = (page: Page) =>
  page.getByRole("button", { name: "Sign in" }).evaluate((button) => getComputedStyle(button).backgroundColor)

/** The pages that every run looks at, beside the sign-in, a chat and a shared one. */
export const BRAND_PAGES = ["/billing"]

/** All pages. */
export const ALL_BRAND_PAGES = ["/documents", "/usage", "/billing", "/bots", "/settings"]

/** The pages of a server with a brand, which describe their own browser and server. */
export const branding = (looks: ReadonlyArray<Look>, pages: ReadonlyArray<string>): void => {
  const folder = mkdtempSync(join(tmpdir(), "parley-brand-"))
  const logo = join(folder, "mark.svg")
  writeFileSync(logo, MARK)
  describe("a brand", () => {
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const start = () =>
      startServer({}, { PARLEY_BRAND_NAME: NAME, PARLEY_BRAND_LOGO: logo, PARLEY_BRAND_ACCENT: ACCENT })
    describeInChromium("of an operator", start, (stage) => {
      it.each(looks)(
        "has its name, logo and colours on its pages, legible at $width px in $colorScheme",
        async ({ colorScheme, width }) => {
          const options = { viewport: { width, height: width === 360 ? 740 : 800 }, colorScheme }
          const dashboard = await stage.open(options)
          const { page } = dashboard
          const check = async (name: string) => {
            await page.waitForFunction(() => document.querySelector("main [role=status] .mantine-Loader-root") === null)
            expect(await brokenRules(page), name).toEqual([])
            expect(await overflowOf(page), name).toBe(0)
            await screenshot(page, `brand-${name}-${width}-${colorScheme}`)
          }
          await page.getByRole("heading", { name: `Welcome to ${NAME}` }).waitFor()
          expect(await page.title()).toBe(NAME)
          expect(await fillOf(page)).toBe("rgb(163, 25, 91)")
          await check("sign-in")

          await dashboard.signIn(`brand-${width}-${colorScheme}@example.org`)
          await dashboard.ask("Where do storks spend the winter? Answer with [a link](https://example.org).")
          await dashboard.replied()
          expect(await page.title()).toMatch(new RegExp(` · ${NAME}$`))
          await check("chat")
          await dashboard.openMenu()
          await dashboard.navigation.getByText(NAME).waitFor()
          const drawn = dashboard.navigation.locator("img").first()
          expect(await drawn.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
          await check("navigation")
          const share = await page.request.get("/api/chats?limit=1")
          const { chats } = (await share.json()) as { chats: ReadonlyArray<{ id: string }> }
          const shared = await page.request.put(`/api/chats/${chats[0]?.id}/share`, { data: {} })
          expect(shared.ok()).toBe(true)
          const { id } = (await shared.json()) as { id: string }

          await page.goto(`/shared/${id}`)
          await page.getByRole("main").getByText(NAME).waitFor()
          expect(await page.title()).toMatch(new RegExp(` · ${NAME}$`))
          await check("shared")
          for (const path of pages) {
            await page.goto(path)
            await page.getByRole("heading", { level: 1 }).waitFor()
            await check(path.slice(1))
          }
          expect(dashboard.complaintsBut()).toEqual([])
        }
      )

      it("is there in the first painted frame: no frame has another name or colour", async () => {
        const { page } = await stage.open()
        await page.addInitScript(() => {
          const seen: Array<string> = []
          Object.assign(globalThis, { seen })
          const look = () => {
            const style = getComputedStyle(document.documentElement)
            if (document.body !== null && document.getElementById("app")?.childElementCount) {
              seen.push(`${document.title} ${style.getPropertyValue("--mantine-color-brand-7").trim()}`)
            }
            requestAnimationFrame(look)
          }
          requestAnimationFrame(look)
        })
        await page.route("**/brand.css", async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 500))
          await route.continue()
        })
        await page.reload()
        await page.getByRole("heading", { name: `Welcome to ${NAME}` }).waitFor()
        const seen = await page.evaluate(() => (globalThis as unknown as { seen: ReadonlyArray<string> }).seen)
        expect(new Set(seen)).toEqual(new Set([`${NAME} ${ACCENT}`]))
      })
    })
  })
}
