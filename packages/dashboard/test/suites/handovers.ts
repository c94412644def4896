import type { FrameLocator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { makeBot } from "../support/makeBot.ts"
import { startWidgetSite } from "../support/widgetSite.ts"

const DESKTOP = { viewport: { width: 1_280, height: 900 } }
const PHONE = { viewport: { width: 360, height: 780 } }

type Place = Page | FrameLocator
const button = (place: Place, name: string | RegExp) => place.getByRole("button", { name, exact: true })

const write = async (chat: Place, text: string) => {
  await chat.getByLabel("Your message").fill(text)
  await chat.getByLabel("Your message").press("Enter")
}

/** All credits that the person's bots have spent today. */
const spentBy = async ({ request }: Page): Promise<number> => {
  const answer = await request.get("/api/billing/usage")
  const { usage } = (await answer.json()) as { usage: ReadonlyArray<{ credits: number }> }
  return usage.reduce((sum, { credits }) => sum + credits, 0)
}

/** A range of a day that is neither today nor tomorrow, in any time zone. */
const anotherDay = () => ({
  timeZone: "Europe/Berlin",
  ranges: [{ day: ((new Date().getUTCDay() + 3) % 7) + 1, from: "09:00", to: "17:00" }]
})

/** A visitor and an owner who write to each other. */
export const handovers = (stage: Stage): void =>
  it("a visitor asks for a person, both write side by side, nothing is charged, and then the bot answers again", async () => {
    let id = ""
    let key = ""
    const dashboard = await stage.openAs("desk@example.org", {
      options: DESKTOP,
      path: async (request) => {
        ;({ id, key } = await makeBot({ request }, { displayName: "Harbour guide" }))
        return `/bots/${id}`
      }
    })
    const owner = dashboard.page
    await owner.getByLabel("Visitors can ask for a person").check()
    await owner.getByLabel("Send a mail to").fill("no address")
    await button(owner, "Save").click()
    await owner.getByText("Write it as name@example.com.").waitFor()
    await owner.getByLabel("Send a mail to").fill("desk@example.org")
    await owner.getByLabel("Name beside the answers").fill("Grace")
    await owner.getByLabel("People answer at certain hours only").check()
    await owner.getByLabel("Day of range 5").waitFor()
    await owner.getByRole("region", { name: "People who answer" }).scrollIntoViewIfNeeded()
    await screenshot(owner, "handover-settings")
    expect(await brokenRules(owner)).toEqual([])
    await owner.getByLabel("People answer at certain hours only").uncheck()
    await button(owner, "Save").click()
    await owner.getByText("Saved.", { exact: true }).waitFor()

    await using site = await startWidgetSite(stage.server.url, key)
    const { page } = await stage.open(DESKTOP, site.url)
    const chat = page.frameLocator("iframe")
    await button(page, "Chat with Harbour guide").click()
    await write(chat, "Where is my berth?")
    await chat.getByText("This is the offline stand-in model.").waitFor()
    await expect.poll(() => spentBy(owner)).toBeGreaterThan(0)
    const before = await spentBy(owner)
    await button(chat, "Talk to a person").click()
    await chat.getByText("A person joins as soon as possible. You can go on writing.").first().waitFor()
    await chat.getByLabel("Your e-mail address").fill("bob@example.org")
    await button(chat, "Save").click()
    await chat.getByText("If you leave, you get the answer by e-mail.").first().waitFor()
    await write(chat, "I need a person.")
    await screenshot(page, "handover-waiting")

    await owner.getByText("1 visitor waits").waitFor()
    await owner.getByRole("link", { name: /^Conversations/ }).click()
    await button(owner, "Waiting (1)").click()
    const row = owner.getByRole("list", { name: "Conversations" }).getByRole("listitem")
    await row.getByText("3 messages").waitFor()
    await screenshot(owner, "handover-inbox")
    expect(await brokenRules(owner)).toEqual([])
    await row.getByRole("link").click()
    await owner.getByText(`${site.url}/`).waitFor()
    await owner.getByText("bob@example.org").waitFor()
    await owner.getByLabel("Your answer").fill("I am **Grace**. Your berth is number 7.")
    await owner.getByRole("button", { name: "Send", exact: true }).click()
    await chat.getByText("Your berth is number 7.").first().waitFor()
    await chat.getByText("Grace is here and answers you.").first().waitFor()
    await write(chat, "Thank you, Grace!")
    await owner.getByText("Thank you, Grace!").waitFor()
    await screenshot(page, "handover-answered")
    await screenshot(owner, "handover-desk")
    expect(await brokenRules(owner)).toEqual([])
    expect(await spentBy(owner), "nothing was charged").toBe(before)

    await button(owner, "Solve").click()
    await button(owner, "Open again").waitFor()
    await chat.getByText("The person has left. The assistant answers again.").first().waitFor()
    await write(chat, "And the harbour master?")
    await expect.poll(() => spentBy(owner)).toBeGreaterThan(before)
    expect(dashboard.complaintsBut(/status of 400 .*\/api\/bots/)).toEqual([])
  })

/** The same in narrow windows, in German, while no person is there. */
export const furtherHandovers = (stage: Stage): void =>
  it("on phones, outside the opening hours, the visitor learns when people are back, and the owner answers in German", async () => {
    let id = ""
    let key = ""
    const draft = { displayName: "Harbour guide", handOver: true, openingHours: anotherDay() }
    const dashboard = await stage.openAs("pocket@example.org", {
      options: { ...PHONE, locale: "de-DE" },
      path: async (request) => {
        ;({ id, key } = await makeBot({ request }, draft))
        return `/bots/${id}/conversations`
      }
    })
    const owner = dashboard.page
    const { page: chat } = await stage.open(PHONE)
    await chat.goto(`/widget/${key}`)
    await button(chat, "Talk to a person").click()
    await chat
      .getByText(/No person is here at the moment; people are back \w+day.* 0[78]:00/)
      .first()
      .waitFor()
    await chat.getByLabel("Your e-mail address").fill("bob@example.org")
    await screenshot(chat, "handover-phone-away")
    expect(await brokenRules(chat)).toEqual([])
    expect(await overflowOf(chat)).toBeLessThanOrEqual(0)
    await button(chat, "Save").click()
    await chat
      .getByText(/You get the answer by e-mail/)
      .first()
      .waitFor()
    await write(chat, "Please call me.")

    await button(owner, "Wartend (1)").click()
    await owner.getByRole("link", { name: "Please call me" }).click()
    await button(owner, "Übernehmen").click()
    await button(owner, "Lösen").waitFor()
    await owner.getByLabel("Ihre Antwort").fill("Gern!")
    await owner.getByRole("button", { name: "Senden", exact: true }).click()
    await chat.getByText("Gern!").first().waitFor()
    await screenshot(chat, "handover-phone-answered")
    await screenshot(owner, "handover-phone-desk")
    expect(await brokenRules(chat)).toEqual([])
    expect(await brokenRules(owner)).toEqual([])
    expect(await overflowOf(owner)).toBeLessThanOrEqual(0)
    await chat.reload()
    await chat.getByText("Gern!").first().waitFor()
    expect(await chat.getByLabel("Your e-mail address").isVisible(), "the address is known").toBe(false)
    await chat.getByText("A person", { exact: true }).first().waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })
