import { expect, it } from "vitest"
import { richReply } from "../looks/richReply.ts"
import { CHAT_LOOKS } from "../looks/WindowLook.ts"
import { describeInChromium } from "../support/describeInChromium.ts"

describeInChromium("a reply with code, a diagram and notes", {}, (stage) => {
  richReply(stage, CHAT_LOOKS)

  it("a diagram's document has no session, no storage and no way to its page", async () => {
    const { page } = await stage.openAs("sandboxed@example.org")
    const [frame] = await Promise.all([
      page.waitForEvent("framenavigated", (each) => each.url().endsWith("/diagram/frame.html")),
      page.evaluate(() => {
        const element = document.createElement("iframe")
        element.src = "/diagram/frame.html"
        document.body.append(element)
      })
    ])
    const reached = await frame.evaluate(async () => {
      const attempts = {
        cookie: () => document.cookie,
        storage: () => String(localStorage.length),
        page: () => parent.document.title,
        server: async () => String((await fetch("/api/session")).status)
      }
      const found: Record<string, string> = { origin: origin }
      for (const [name, attempt] of Object.entries(attempts)) {
        try {
          found[name] = await attempt()
        } catch {
          found[name] = "refused"
        }
      }
      return found
    })
    expect(reached).toEqual({
      origin: "null",
      cookie: "refused",
      storage: "refused",
      page: "refused",
      server: "refused"
    })
  })
})
