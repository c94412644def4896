import { expect, it } from "vitest"
import { describeInChromium } from "../support/describeInChromium.ts"

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true }

describeInChromium("the frame around the pages", {}, (stage) => {
  it("names the page and begins a new chat in the header of a phone", async () => {
    const dashboard = await stage.openAs("header@example.org", { options: PHONE })
    const { page } = dashboard
    await dashboard.ask("What is a heron?")
    await dashboard.replied()
    const header = page.getByRole("region", { name: "Parley" })
    await header.getByText("What is a heron?").waitFor()
    await dashboard.goTo("Usage")
    await header.getByText("Usage").waitFor()
    await header.getByRole("link", { name: "New chat" }).click()
    await header.getByText("New chat").waitFor()
    await dashboard.field.waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("leaves the chats their place beside ten links", async () => {
    const dashboard = await stage.openAs("ten-links@example.org", {
      options: { viewport: { width: 1_280, height: 800 } }
    })
    const { navigation } = dashboard
    const links = navigation.getByRole("list").filter({ has: dashboard.page.getByRole("link", { name: "Documents" }) })
    await links.evaluate((list) => {
      while (list.children.length < 10) list.append(list.children[0]?.cloneNode(true) ?? "")
    })
    const chats = await navigation.getByRole("region", { name: "Chats" }).boundingBox()
    expect(chats?.height).toBeGreaterThan(300)
    const account = await navigation.getByRole("button", { name: /^Your account/ }).boundingBox()
    expect((account?.y ?? 0) + (account?.height ?? 0)).toBeLessThanOrEqual(800)
  })
})
