import { expect, it } from "vitest"
import { everyState, furtherJourneys, journeys } from "./crm/journeys.ts"
import { foundWords } from "./suites/foundWords.ts"
import { furtherBilling } from "./suites/billing.ts"
import { furtherProblems } from "./suites/problems.ts"
import { stoppedReply } from "./suites/runningReply.ts"
import { FURTHER_SHAPES } from "./looks/Shape.ts"
import { connectedServer } from "./support/connectedServer.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

describeInChromium("a person with chats", {}, (stage) => {
  foundWords(stage)

  it("sees another version however soon it begins", async () => {
    const dashboard = await stage.openAs("early@example.org")
    const { page } = dashboard
    await dashboard.ask("What is a semaphore?")
    await dashboard.replied()
    await page.evaluate(() => {
      const head = { "x-chat-id": crypto.randomUUID(), "x-message-id": crypto.randomUUID() }
      const begun = (text: string) =>
        new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(text)) })
      const { fetch } = globalThis
      // The head of the reply is there before the page can show anything.
      globalThis.fetch = (address, init) =>
        address === "/api/chat"
          ? Promise.resolve(new Response(begun("It counts."), { headers: head }))
          : fetch(address, init)
    })
    await dashboard.reply.getByRole("button", { name: "Answer again" }).click()
    await dashboard.words.getByText("It counts.").waitFor()
  })

  it("goes back and forth between chats and pages, and each address leads to the same again", async () => {
    const dashboard = await stage.openAs("tony@example.org")
    const { page } = dashboard
    await dashboard.ask("What is a monitor?")
    await dashboard.replied()
    const chat = page.url()
    await dashboard.goTo("Settings")
    await dashboard.goTo("New chat")
    await page.goBack()
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor()
    await page.goBack()
    await page.getByRole("main").getByText("What is a monitor?").first().waitFor()
    expect(page.url()).toBe(chat)
    await page.goto(chat)
    await dashboard.reply.waitFor()
    await page.goto("/nowhere")
    expect(dashboard.complaintsBut(/status of 404 .*\/nowhere/)).toEqual([])
  })
})

describeInChromium("a person at length", {}, furtherProblems)

const { crm, start, vendor } = connectedServer()

describeInChromium("a server that is connected to CRM providers and a vendor, at length", start, (stage) => {
  furtherBilling(stage)
  journeys(stage, crm)
  furtherJourneys(stage, crm)
  everyState(stage, FURTHER_SHAPES)
  stoppedReply(stage, vendor, ["Escape"])
})
