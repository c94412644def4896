import { expect, it } from "vitest"
import { CARD_LOOKS, everyCard, welcomeCards } from "../looks/everyCard.ts"
import { describeWidget } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"

const HOSTILE = [
  ...["javascript:alert(1)", "data:text/html,a", "mailto:a@acme.test", "/prices", "https://user:pass@acme.test", 7].map(
    (link) => ({ title: "Hostile", link })
  ),
  { title: "Leads nowhere" },
  { title: " ", question: "Why?" },
  { question: "Why?" },
  "card",
  null
]

describeWidget("the cards of an empty conversation", (stage) => {
  it("open a page of their own, or ask their question; then they are gone", async () => {
    stage.service.configure(KEY, { ...CONFIG, welcomeCards })
    const widget = await stage.visit()
    await widget.open()
    const link = widget.frame.getByRole("link", { name: "Prices" })
    expect(await link.getAttribute("href")).toBe("https://acme.test/prices?all#top")
    expect(await link.getAttribute("target")).toBe("_blank")
    expect(await link.getAttribute("rel")).toContain("noopener")
    await widget.page.context().route("https://acme.test/**", (route) => route.fulfill({ body: "Prices of Acme" }))
    const [tab] = await Promise.all([widget.page.waitForEvent("popup"), link.click()])
    await tab.getByText("Prices of Acme").waitFor()
    expect(await tab.evaluate(() => [opener, document.referrer])).toEqual([null, ""])
    await tab.close()
    await widget.frame.getByRole("button", { name: "Returns" }).click()
    await expect.poll(() => widget.messages.allTextContents()).toEqual(["How do I return a thing?"])
    expect(await widget.frame.locator(".cards").isVisible()).toBe(false)
    await widget.frame.getByRole("button", { name: "Start a new conversation" }).click()
    await link.waitFor()
    expect(widget.complaints).toEqual([])
  })

  it("lead to pages of the web alone, and are left out otherwise", async () => {
    stage.service.configure(KEY, { ...CONFIG, welcomeCards: [...HOSTILE, { title: "<b>Bold</b>", question: "Why?" }] })
    const widget = await stage.visit()
    await widget.open()
    await widget.frame.getByRole("button", { name: "<b>Bold</b>" }).waitFor()
    expect(await widget.frame.locator(".cards li").count()).toBe(1)
    expect(widget.complaints).toEqual([])
  })

  everyCard(stage, CARD_LOOKS)
})
