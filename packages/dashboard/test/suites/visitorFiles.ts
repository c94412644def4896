import { readFileSync } from "node:fs"
import type { APIRequestContext, FrameLocator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { makeBot } from "../support/makeBot.ts"
import { startWidgetSite } from "../support/widgetSite.ts"

const DESKTOP = { viewport: { width: 1_280, height: 900 } }
const STORKS = "The storks of the harbour nest on the old chimney of the brewery."

type Place = Page | FrameLocator
const button = (place: Place, name: string) => place.getByRole("button", { name, exact: true })
const lines = (chat: FrameLocator) => chat.getByRole("list", { name: "Attached files" }).getByRole("listitem")

export const visitorFiles = (stage: Stage): void => {
  it("are off until the owner allows them; then one is read, answered from, downloaded by the owner and deleted", async () => {
    let [id, key] = ["", ""]
    const path = async (request: APIRequestContext) => {
      ;({ id, key } = await makeBot({ request }, { displayName: "Harbour guide" }))
      return `/bots/${id}`
    }
    const dashboard = await stage.openAs("files@example.org", { options: DESKTOP, path })
    const owner = dashboard.page
    const preview = owner.frameLocator("iframe")
    await preview.getByLabel("Your message").waitFor()
    expect(await button(preview, "Attach a file").count()).toBe(0)
    await owner.getByLabel("Visitors can attach files").check()
    await button(preview, "Attach a file").waitFor()
    await button(owner, "Save").click()
    await owner.getByText("Saved.", { exact: true }).waitFor()

    await using site = await startWidgetSite(stage.server.url, key)
    const visitor = await stage.open(DESKTOP, site.url)
    const chat = visitor.page.frameLocator("iframe")
    await button(visitor.page, "Chat with Harbour guide").click()
    await chat.locator('input[type="file"]').setInputFiles([
      { name: "storks.txt", mimeType: "text/plain", buffer: Buffer.from(STORKS) },
      { name: "program.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ") }
    ])
    await expect
      .poll(() => lines(chat).allTextContents(), { timeout: 30_000 })
      .toEqual(["storks.txt Ready: ask about it.", "program.exe Files of this kind cannot be read here."])
    await chat.getByLabel("Your message").fill("Where do the storks of the harbour nest?")
    await chat.getByLabel("Your message").press("Enter")
    await chat.locator(".sources summary", { hasText: "storks.txt" }).waitFor()
    await screenshot(visitor.page, "visitor-files-chat")

    await owner.getByRole("link", { name: "Conversations" }).click()
    await owner
      .getByRole("link", { name: /storks/ })
      .first()
      .click()
    const link = owner.getByRole("region", { name: "Files of the visitor" }).getByRole("link", { name: "storks.txt" })
    await link.waitFor()
    for (const width of [1_280, 800, 360]) {
      await owner.setViewportSize({ width, height: 900 })
      for (const colorScheme of ["light", "dark"] as const) {
        await owner.emulateMedia({ colorScheme })
        const shape = `visitor-files-${width}-${colorScheme}`
        await screenshot(owner, shape)
        expect(await brokenRules(owner), shape).toEqual([])
        expect(await overflowOf(owner), shape).toBeLessThanOrEqual(0)
      }
    }
    await owner.setViewportSize(DESKTOP.viewport)
    const [download] = await Promise.all([owner.waitForEvent("download"), link.click()])
    expect(readFileSync(await download.path(), "utf8")).toBe(STORKS)
    expect(await (await owner.request.get("/api/documents")).json()).toEqual({ documents: [] })
    const file = (await link.getAttribute("href")) ?? ""
    await button(owner, "Delete").click()
    await owner.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect.poll(async () => (await owner.request.get(file)).status()).toBe(404)
    expect(dashboard.complaintsBut(/status of 404/)).toEqual([])
  })
}
