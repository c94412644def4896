/** The page of all components, as `npm run dev:dashboard -- --gallery` serves it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { whereChromiumIs, workerBrowser } from "../../../test/support/chromium.ts"
import { screenshot } from "../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "./support/brokenRules.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Vite takes the next port that is free. */
const start = async (): Promise<{ readonly url: string; readonly server: ChildProcess }> => {
  const server = spawn(process.execPath, ["tooling/devDashboard.mjs", "--gallery", "--host", "127.0.0.1"], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ""
    server.once("exit", () => reject(new Error(`The server of the gallery ended. It said:\n${output}`)))
    server.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0]
      if (found !== undefined) resolve(found)
    })
  })
  return { url, server }
}

const LOOKS = [1280, 800, 360].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme }))
)

describe("the gallery", () => {
  whereChromiumIs(() => {
    let url = ""
    let server: ChildProcess | undefined
    beforeAll(async () => {
      ;({ server, url } = await start())
    })
    afterAll(async () => {
      if (server === undefined) return
      const ended = once(server, "exit")
      server.kill()
      await ended
    })

    it.each(LOOKS)(
      "shows every component and state, legible, at $width px in $colorScheme",
      async ({ colorScheme, width }) => {
        const browser = await workerBrowser()
        const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
        const page = await context.newPage()
        const errors: Array<string> = []
        page.on("pageerror", (error) => errors.push(String(error)))
        // The first load makes all modules.
        await page.goto(url, { timeout: 240_000 })
        for (const title of ["Colours", "Buttons", "Fields", "Notices", "Tables", "Charts", "Messages of a chat"]) {
          await page.getByRole("heading", { level: 2, name: title, exact: true }).waitFor()
        }
        await page.locator("pre code span").first().waitFor()
        await page.getByRole("button", { name: /lease\.pdf/ }).waitFor()
        expect(await brokenRules(page)).toEqual([])
        expect(await overflowOf(page)).toBe(0)
        // The whole page in one picture.
        const height = await page.locator("main > div").evaluate((column) => column.scrollHeight)
        await page.setViewportSize({ width, height })
        await screenshot(page, `gallery-${width}-${colorScheme}`)
        await page.setViewportSize({ width, height: 800 })

        await page.getByRole("button", { name: "A menu", exact: true }).click()
        await page.getByRole("menuitem", { name: "Not possible" }).waitFor()
        expect(await brokenRules(page)).toEqual([])
        await screenshot(page, `gallery-menu-${width}-${colorScheme}`)
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: "A menu of choices" }).click()
        await page.getByRole("menuitemradio", { name: "Other" }).waitFor()
        expect(await brokenRules(page)).toEqual([])
        await page.keyboard.press("Escape")
        for (const dialog of ["A dialog", "A dialog with a problem", "A drawer"]) {
          await page.getByRole("button", { name: dialog, exact: true }).click()
          await page.getByRole("dialog").waitFor()
          expect(await brokenRules(page), dialog).toEqual([])
          await screenshot(page, `gallery-${dialog.replaceAll(" ", "-")}-${width}-${colorScheme}`)
          await page.keyboard.press("Escape")
          await page.getByRole("dialog").waitFor({ state: "detached" })
        }
        const other = colorScheme === "light" ? "Dark" : "Light"
        await page.getByText(other, { exact: true }).click()
        await page.waitForFunction(
          (scheme) => document.documentElement.dataset["mantineColorScheme"] === scheme,
          other.toLowerCase()
        )
        expect(errors.filter((error) => !error.includes("A part of the page fails."))).toEqual([])
        await context.close()
      }
    )
  })
})
