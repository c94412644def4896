import { describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { type FakeOpenAi, STEERED } from "../../../../test/support/FakeOpenAi.ts"
import { CuttingProxy } from "../support/CuttingProxy.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"

const QUESTION = `Count for me. ${STEERED}`
const CHAT_ADDRESS = /\/chats\/[0-9a-f-]{36}$/

const steering = (vendor: FakeOpenAi) => {
  /** Asks for a reply, and returns its writer when its first words are shown. */
  const begin = async (dashboard: DashboardPage) => {
    await dashboard.ask(QUESTION)
    const reply = await vendor.steered()
    reply.say("one two ")
    await dashboard.words.getByText("one two").waitFor()
    await expect.poll(() => dashboard.page.url()).toMatch(CHAT_ADDRESS)
    return reply
  }
  const charged = async (dashboard: DashboardPage) => {
    await expect.poll(() => dashboard.balance()).toBe(2)
  }
  return { begin, charged }
}

/** A reply is stopped by each of these means. */
export const stoppedReply = (stage: Stage, vendor: FakeOpenAi, means: ReadonlyArray<"the button" | "Escape">): void => {
  const { begin, charged } = steering(vendor)
  describe("a reply that is being written", () => {
    it.each(means)("is stopped with %s, and what was written stays", async (mean) => {
      const dashboard = await stage.openAs(`stops-with-${mean.replace(" ", "-").toLowerCase()}@example.org`)
      const { page } = dashboard
      const heard = await dashboard.listen()
      const reply = await begin(dashboard)
      if (mean === "Escape") await page.keyboard.press("Escape")
      else await dashboard.stopButton.click()
      await reply.left()
      await dashboard.reply.getByText("Stopped before the end.").waitFor()
      expect((await dashboard.words.textContent())?.trim()).toBe("one two")
      expect(await dashboard.field.evaluate((field) => field === document.activeElement)).toBe(true)
      await charged(dashboard)
      expect((await heard()).now.slice(-2)).toEqual(["one two", "Stopped."])
      await page.reload()
      await dashboard.reply.getByText("Stopped before the end.").waitFor()
      expect((await dashboard.words.textContent())?.trim()).toBe("one two")
      expect(dashboard.complaintsBut()).toEqual([])
    })
  })
}

/** A reply is reloaded, read twice and left while a vendor writes it. */
export const runningReply = (stage: Stage, vendor: FakeOpenAi): void => {
  const { begin, charged } = steering(vendor)
  describe("a reply that is being written", () => {
    it("is shown word by word, found again by a reload, and read from its beginning to its end, for one charge", async () => {
      const dashboard = await stage.openAs("reload@example.org")
      const { page } = dashboard
      const reply = await begin(dashboard)
      await page.reload()
      await dashboard.stopButton.waitFor()
      await dashboard.words.getByText("one two").waitFor()
      reply.say("three ")
      await dashboard.words.getByText("one two three").waitFor()
      reply.say("four")
      reply.end()
      expect(await dashboard.replied()).toBe("one two three four")
      expect(await dashboard.replies.count()).toBe(1)
      expect(await dashboard.reply.getByText(/incomplete|Stopped/).count()).toBe(0)
      expect(await dashboard.stopButton.isVisible()).toBe(false)
      await charged(dashboard)
      expect(dashboard.complaintsBut(/net::ERR_ABORTED/)).toEqual([])
    })

    it("lowers the balance in the sidebar once, by its charge, and never by the credits that are set aside for it", async () => {
      const dashboard = await stage.openAs("settled@example.org")
      const { page } = dashboard
      await expect.poll(() => dashboard.balance()).toBe(3)
      const seen = await dashboard.watchBalance()
      const reply = await begin(dashboard)
      await page.getByRole("link", { name: "Usage" }).click()
      const balance = page.getByRole("region", { name: "Your balance" })
      await balance.getByText("3 credits", { exact: true }).waitFor()
      await balance.getByText("Set aside, of these").waitFor()
      await expect.poll(() => balance.textContent()).toMatch(/Set aside, of these[1-3]/)
      await screenshot(page, "usage-set-aside")
      reply.say("three")
      reply.end()
      await charged(dashboard)
      await expect.poll(() => balance.textContent()).toMatch(/Set aside, of these0/)
      expect(await seen()).toEqual([3, 2])
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("is spoken once, in plain sentences, though its connection is lost, until it is said to be complete", async () => {
      const proxy = await CuttingProxy.start(stage.server.url)
      try {
        const dashboard = await stage.openAs("listener@example.org", { url: proxy.url })
        const heard = await dashboard.listen()
        const reply = await begin(dashboard)
        reply.say(
          "**three**.\n\n## The rent\n\nIt is `1,450` a month, as [the lease](https://example.org) of 2024 says in its third section. It"
        )
        await expect.poll(async () => (await heard()).all.join(" ")).toContain("It is 1,450 a month")
        proxy.away(true)
        await dashboard.page.getByText("The connection was lost. The reply goes on").waitFor()
        expect((await heard()).all.join(" ")).not.toMatch(/broke off/)
        // A second reply would be paid beside the one that goes on.
        expect(await dashboard.reply.getByRole("button").count()).toBe(0)
        proxy.away(false)
        await dashboard.page.getByText("The connection was lost.").waitFor({ state: "detached" })
        reply.say(
          " rises:\n\n| month | rent |\n|---|--:|\n| May | *1,450* |\n| June | 1,500 |\n\n- first the ~~roof~~\n"
        )
        reply.end()
        await dashboard.replied()
        await expect.poll(async () => (await heard()).now.at(-1)).toBe("The reply is complete.")
        const { all, now } = await heard()
        expect(all).toEqual([
          "The assistant is replying. Press Escape to stop.",
          "one two three.",
          "The rent",
          "It is 1,450 a month, as the lease of 2024 says in its third section.",
          "It rises:",
          "month: May, rent: 1,450.\nmonth: June, rent: 1,500.",
          "first the roof",
          "The reply is complete."
        ])
        expect(now.join(" ")).not.toMatch(/is replying/)
        expect(dashboard.complaintsBut(/net::ERR_/)).toEqual([])
      } finally {
        await proxy.stop()
      }
    })

    it("is read in a second tab while it is written, and stopped from there for both", async () => {
      const dashboard = await stage.openAs("second-tab@example.org")
      const { page } = dashboard
      const reply = await begin(dashboard)
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.locator('[data-role="assistant"] [data-markdown]').getByText("one two").waitFor()
      await other.getByRole("button", { name: "Stop", exact: true }).click()
      await reply.left()
      await other.getByText("Stopped before the end.").waitFor()
      await dashboard.reply.getByText("Stopped before the end.").waitFor()
      expect(await dashboard.replies.count()).toBe(1)
      await charged(dashboard)
      expect(dashboard.complaintsBut(/net::ERR_/)).toEqual([])
    })

    it("goes on while another chat is read, and is there on the way back", async () => {
      const dashboard = await stage.openAs("elsewhere@example.org")
      const { page } = dashboard
      const reply = await begin(dashboard)
      await dashboard.goTo("New chat")
      expect(await dashboard.replies.count()).toBe(0)
      reply.say("three ")
      await page.goBack()
      await dashboard.words.getByText("one two three").waitFor()
      reply.say("four")
      reply.end()
      expect(await dashboard.replied()).toBe("one two three four")
      expect(await dashboard.replies.count()).toBe(1)
      expect(dashboard.complaintsBut()).toEqual([])
    })
  })
}
