import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import { makeBot } from "../support/makeBot.ts"
import { startServer } from "../support/runningServer.ts"
import { startWidgetSite } from "../support/widgetSite.ts"

/** A port that is free now. */
const freePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** The same server under another name, for visitors alone. */
const startWithOrigin = async () => {
  const port = String(await freePort())
  const PARLEY_WIDGET_ORIGIN = `http://widget.localhost:${port}`
  return startServer({}, { PORT: port, PARLEY_BASE_URL: `http://localhost:${port}`, PARLEY_WIDGET_ORIGIN })
}

describeInChromium("a server whose widget has an origin of its own", startWithOrigin, (stage) => {
  const originOfWidget = () => {
    const url = new URL(stage.server.url)
    return `http://widget.localhost:${url.port}`
  }

  it("a site that embeds the dashboard's address chats with the widget's origin, which cannot read the dashboard", async () => {
    const dashboard = await stage.openAs("embedder@example.org")
    const { key } = await makeBot(dashboard.page, { displayName: "Harbour guide" })
    const origins = `${stage.server.url} ${originOfWidget()}`
    await using site = await startWidgetSite(stage.server.url, key, origins)
    const { page } = await stage.open({}, site.url)
    await page.getByRole("button", { name: "Chat with Harbour guide" }).click()
    const chat = page.frameLocator("iframe")
    await chat.getByLabel("Your message").fill("Where is my berth?")
    await chat.getByLabel("Your message").press("Enter")
    await chat.getByText("This is the offline stand-in model.").waitFor()
    const frame = page.frames().find((each) => each.url().includes("/widget/"))
    expect(new URL(frame?.url() ?? "").origin).toBe(originOfWidget())
    const read = (address: string) =>
      frame?.evaluate(async (url) => {
        try {
          return (await fetch(url, { credentials: "include" })).status
        } catch {
          return "refused"
        }
      }, address)
    expect([await read(`${stage.server.url}/api/chats`), await read("/api/chats")]).toEqual(["refused", 404])
  })

  it("the preview shows the typed settings at once, from the widget's origin", async () => {
    let id = ""
    const dashboard = await stage.openAs("owner@example.org", {
      options: { viewport: { width: 1_440, height: 1_500 } },
      path: async (request) => {
        ;({ id } = await makeBot({ request }, { displayName: "Harbour guide" }))
        return `/bots/${id}`
      }
    })
    const { page } = dashboard
    const preview = page.frameLocator("iframe")
    await preview.getByText("Hello! How can I help you?").waitFor()
    await page.getByLabel("Welcome message").fill("Ahoy!")
    await preview.getByText("Ahoy!").waitFor()
    expect(await page.locator("iframe").getAttribute("src")).toContain(originOfWidget())
    await screenshot(page, "bots-preview-of-another-origin")
  })
})
