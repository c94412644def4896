/** A visitor on another site's page without an available reply, on the real server. */
import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningServer, startServer } from "../../dashboard/test/support/runningServer.ts"
import { HostSite } from "../../widget/test/support/HostSite.ts"
import { WidgetPage } from "../../widget/test/support/WidgetPage.ts"
import { inTime, launchChromium, whereChromiumIs } from "../../../test/support/chromium.ts"

const DECLINE = "I cannot answer at the moment. Write to bell@acme.test."
const PER_MINUTE = 3

interface CreatedBot {
  readonly id: string
  readonly keys: ReadonlyArray<{ readonly publicKey: string }>
}

describe("visitors of a bot whose owner has no credits", () => {
  whereChromiumIs(() => {
    let server: RunningServer
    let site: HostSite
    let browser: Browser | undefined
    let context: BrowserContext
    let widget: WidgetPage
    let bot: CreatedBot
    let cookie = ""

    const asOwner = async <A>(method: string, path: string, body?: object): Promise<A> => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = { "content-type": "application/json", cookie }
      const answer = await fetch(server.url + path, { method, headers, ...init })
      return (await answer.json()) as A
    }
    const tag = () =>
      `<script async src="${server.url}/widget.js" data-public-key="${bot.keys[0]?.publicKey}"></script>`

    beforeAll(async () => {
      const catalog = { tiers: { free: { monthlyCredits: 0 } }, widget: { perIpPerMinute: PER_MINUTE } }
      ;[server, site, browser] = await Promise.all([startServer(catalog), HostSite.start(), launchChromium()])
      const signIn = await fetch(`${server.url}/dev/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "bell@example.org" })
      })
      cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
      bot = await asOwner("POST", "/api/bots", { displayName: "Bell", declineText: DECLINE })
      context = await browser!.newContext()
      widget = new WidgetPage(await context.newPage())
      await widget.page.goto(site.page("/", `<!doctype html><title>Acme</title><h1>Acme</h1>${tag()}`))
      await widget.open()
    })
    afterAll(async () => {
      if (browser !== undefined) await inTime(browser.close())
      await Promise.all([server?.stop(), site?.stop()])
    })

    it("read the bot's own words of decline, in a conversation that goes on", async () => {
      await widget.ask("Are you open on Sunday?")
      await expect.poll(() => widget.reply.textContent()).toBe(DECLINE)
      await widget.ask("And on Monday?")
      await expect.poll(() => widget.replies.count()).toBe(3)
      const { conversations } = await asOwner<{ conversations: ReadonlyArray<object> }>(
        "GET",
        `/api/bots/${bot.id}/conversations`
      )
      expect(conversations).toHaveLength(1)
      expect(await asOwner("GET", "/api/billing/balance")).toMatchObject({ available: 0, held: 0, debt: 0 })
    })

    it("keep a message while the network is away, and send it when it is back", async () => {
      await context.setOffline(true)
      await widget.ask("Still there?")
      await expect.poll(() => widget.obstacle.textContent()).toContain("cannot be reached")
      await context.setOffline(false)
      await widget.frame.getByRole("button", { name: "Try again" }).click()
      await expect.poll(() => widget.replies.count()).toBe(4)
      expect(await widget.messages.last().textContent()).toBe("Still there?")
    })

    it("see how long to wait at their address's limit, and keep their text", async () => {
      // The minute in which the first messages were counted may be over: at most the same number is sent again.
      for (let sent = 0; sent <= PER_MINUTE && !(await widget.obstacle.isVisible()); sent += 1) {
        const before = await widget.replies.count()
        await widget.ask("One more?")
        await expect
          .poll(async () => (await widget.replies.count()) > before || (await widget.obstacle.isVisible()))
          .toBe(true)
      }
      expect(await widget.obstacle.textContent()).toMatch(/You can go on in .* (second|minute)s?\./)
      expect(await widget.frame.locator(".unsent").textContent()).toContain("One more?")
    })

    it("see no launcher of a bot that is switched off", async () => {
      await asOwner("PATCH", `/api/bots/${bot.id}`, { active: false })
      const page = await (await browser!.newContext()).newPage()
      const asked = page.waitForResponse((response) => response.url().includes("/api/widget/config/"))
      await page.goto(site.page("/off", `<!doctype html><title>Acme</title><h1>Acme</h1>${tag()}`))
      expect((await asked).status()).toBe(404)
      // The widget removes itself when its frame has received the state.
      await expect.poll(() => page.locator("iframe").count()).toBe(0)
      expect(await page.locator("button[aria-haspopup=dialog]").count()).toBe(0)
    })
  })
})
