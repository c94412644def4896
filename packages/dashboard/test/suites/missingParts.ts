import { describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { CuttingProxy } from "../support/CuttingProxy.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"

const AWAY = "The server cannot be reached."
const BROKEN = "This page stopped working"
const DOCUMENTS = "**/assets/DocumentsPage-*.js"

const isReloaded = async ({ page }: DashboardPage) => !(await page.evaluate(() => "wasHere" in globalThis))

/** Parts of the application that are loaded on demand, and cannot be. */
export const missingParts = (stage: Stage): void => {
  describe("a part of the application that cannot be loaded", () => {
    it("is loaded, with its styles and without a reload, once the server is back", async () => {
      const proxy = await CuttingProxy.start(stage.server.url)
      try {
        const dashboard = await stage.openAs("away@example.org", { url: proxy.url })
        const { page } = dashboard
        await page.evaluate(() => Object.assign(globalThis, { wasHere: true }))
        await dashboard.field.fill("Kept")
        proxy.away(true)
        await dashboard.navigation.getByRole("link", { name: "Documents" }).click()
        const notice = page.getByRole("status").filter({ hasText: AWAY })
        await notice.waitFor()
        await screenshot(page, "part-away")
        expect(await page.getByText(BROKEN).count()).toBe(0)

        proxy.away(false)
        await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor()
        await notice.waitFor({ state: "detached" })
        expect(await isReloaded(dashboard)).toBe(false)
        const styled = await page.evaluate(() =>
          [...document.querySelectorAll("link")]
            .filter(({ href }) => href.includes("DocumentsPage") && href.endsWith(".css"))
            .map(({ sheet }) => sheet?.cssRules.length ?? 0)
        )
        expect(styled).toEqual([expect.toSatisfy((rules: number) => rules > 0)])
        expect(dashboard.complaintsBut(/net::ERR_/)).toEqual([])
      } finally {
        await proxy.stop()
      }
    })

    it("is that of the new application where the server has a newer one", async () => {
      const dashboard = await stage.openAs("deployed@example.org")
      const { page } = dashboard
      await page.evaluate(() => Object.assign(globalThis, { wasHere: true }))
      await page.route(DOCUMENTS, (route) => route.fulfill({ status: 404, json: { status: 404 } }))
      await dashboard.field.fill("A question that is not sent yet")
      // The page of the newer application names files that are there.
      await page.route("**/documents", async (route) => {
        await page.unroute(DOCUMENTS)
        await route.continue()
      })
      await dashboard.navigation.getByRole("link", { name: "Documents" }).click()
      await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor()
      expect(await isReloaded(dashboard)).toBe(true)
      await dashboard.navigation.getByRole("link", { name: "New chat" }).click()
      await expect.poll(() => dashboard.field.inputValue()).toBe("A question that is not sent yet")
      expect(dashboard.complaintsBut(/status of 404 .*DocumentsPage/)).toEqual([])
    })

    it("is said to be broken, and not reloaded for ever, where no reload helps", async () => {
      const dashboard = await stage.openAs("blocked@example.org")
      const { page } = dashboard
      await page.route(DOCUMENTS, (route) => route.fulfill({ status: 404, json: { status: 404 } }))
      let loads = 0
      page.on("request", (request) => {
        if (request.isNavigationRequest()) loads += 1
      })
      await dashboard.navigation.getByRole("link", { name: "Documents" }).click()
      await page.getByRole("heading", { level: 1, name: BROKEN }).waitFor()
      expect(loads).toBe(1)
      expect(dashboard.complaintsBut(/status of 404 .*DocumentsPage/, /Failed to fetch dynamically/)).toEqual([])
    })
  })
}
