import { expect, it } from "vitest"
import { describeInChromium, screenshot } from "./support/describeInChromium.ts"
import { leasePdf, minutesDocx } from "./support/files.ts"
import { recordGrowth } from "./support/recordGrowth.ts"

describeInChromium("a person with documents", {}, (stage) => {
  it("asks about a pdf and a docx, reads streamed replies with their sources, and sees the credits fall", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("ada@example.org")
    const before = await dashboard.balance()

    await dashboard.add(leasePdf, minutesDocx)
    await dashboard.isReady("lease.pdf")
    await dashboard.isReady("minutes.docx")
    expect(await dashboard.document("lease.pdf").textContent()).toContain("3 pages")
    expect(await page.locator("#document-use").textContent()).toBe("Using 2 documents")

    const growth = await recordGrowth(page)
    await dashboard.ask("With which notice may the lease be ended?")
    await dashboard.stopButton.waitFor()
    await screenshot(page, "streaming")
    const words = await dashboard.replied()
    expect(words).toContain("a notice of ninety days")
    const lengths = await growth()
    expect(lengths.length, "the reply is shown in many steps").toBeGreaterThan(5)
    expect(lengths[0], "the first words are shown long before the last").toBeLessThan(words.length / 2)
    expect(await dashboard.stopButton.isVisible()).toBe(false)

    const source = dashboard.reply.locator("details.source").first()
    expect(await source.locator("summary").textContent()).toMatch(/^\[\d+\] ?lease\.pdf, page 2$/)
    expect(await source.getAttribute("open")).toBeNull()
    await dashboard.reply.getByRole("link", { name: "Source" }).first().click()
    expect(await source.getAttribute("open")).toBe("")
    expect(await source.locator("blockquote").textContent()).toContain("a notice of ninety days to the end of a month")
    await screenshot(page, "sources")

    await expect.poll(() => dashboard.balance()).toBeLessThan(before)
    await dashboard.ask("Who is the treasurer?")
    const second = await dashboard.replied()
    expect(second).toContain("Grace Hopper")
    expect(await dashboard.reply.locator("details.source").first().textContent()).toContain("minutes.docx")

    await page.getByRole("button", { name: "show the credit history" }).click()
    await page.getByRole("cell", { name: "Reply, model-a-mini" }).first().waitFor()
    expect(await page.getByRole("cell", { name: /^Reply/ }).count()).toBe(2)
    await screenshot(page, "credits")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("finds a chat again after a reload, continues it, and deletes it", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("grace@example.org")
    await dashboard.add(leasePdf)
    await dashboard.isReady("lease.pdf")
    await dashboard.ask("How high is the deposit?")
    const words = await dashboard.replied()

    await page.reload()
    await dashboard.reply.locator(".cost").waitFor()
    expect(await dashboard.reply.locator(".words").textContent()).toBe(words)
    expect(await dashboard.reply.locator("details.source").first().textContent()).toContain("lease.pdf, page 3")
    expect(await page.locator("#chat-list [aria-current]").textContent()).toContain("How high is the deposit?")

    await dashboard.ask("And when is it paid back?")
    await dashboard.replied()
    expect(await page.locator(".message").count()).toBe(4)
    expect(await page.locator("#chat-list li").count()).toBe(1)

    await page.getByRole("button", { name: "New chat" }).click()
    expect(await page.locator(".message").count()).toBe(0)
    await page.getByRole("button", { name: "How high is the deposit?" }).first().click()
    await page.locator(".message").nth(3).waitFor()
    await page.getByRole("button", { name: "Delete the chat How high" }).click()
    await page.getByRole("button", { name: "Delete", exact: true }).click()
    await page.getByText("Your chats are kept here.").waitFor()
    expect(await page.locator(".message").count()).toBe(0)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("reads a long chat from its end to its beginning", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("marcel@example.org")
    const said = Array.from({ length: 150 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Sentence ${index}.`
    }))
    const data = { messages: [...said, { role: "user", content: "And then?" }] }
    expect((await page.request.post("/api/chat", { data })).status()).toBe(200)
    await page.reload()
    await page.locator("#chat-list .chat-open").first().click()
    await page.locator(".message-user").getByText("And then?").waitFor()
    expect(await page.locator(".message").getByText("Sentence 0.", { exact: true }).count()).toBe(0)
    await page.getByRole("button", { name: "Show earlier messages" }).click()
    await page.locator(".message").getByText("Sentence 0.", { exact: true }).waitFor()
    expect(await page.locator(".message").count()).toBe(152)
    expect(await page.getByRole("button", { name: "Show earlier messages" }).isVisible()).toBe(false)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("uses only the documents that are checked, and none that is deleted", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("edsger@example.org")
    await dashboard.add(leasePdf, minutesDocx)
    await dashboard.isReady("lease.pdf")
    await dashboard.isReady("minutes.docx")
    await page.getByRole("checkbox", { name: "minutes.docx" }).uncheck()
    await dashboard.ask("Who is the treasurer?")
    expect(await dashboard.replied()).not.toContain("Grace Hopper")

    await page.getByRole("button", { name: "Delete lease.pdf" }).click()
    await page.getByRole("button", { name: "Delete", exact: true }).click()
    await dashboard.document("lease.pdf").waitFor({ state: "detached" })
    expect(await page.locator("#document-use").textContent()).toBe("No document is used")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it.each(["the button", "Escape"])("is stopped mid-reply with %s, and what was written stays", async (means) => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn(`stops-with-${means.replace(" ", "-").toLowerCase()}@example.org`)
    await dashboard.add(leasePdf)
    await dashboard.isReady("lease.pdf")
    await dashboard.ask("What does the lease say about the notice, the workshop, the deposit and the rents?")
    await expect.poll(async () => (await dashboard.reply.locator(".words").textContent())?.length).toBeGreaterThan(20)
    if (means === "Escape") await page.keyboard.press("Escape")
    else await dashboard.stopButton.click()
    await dashboard.reply.getByText("Stopped before the end.").waitFor()
    const stopped = (await dashboard.reply.locator(".words").textContent()) ?? ""
    expect(await dashboard.field.evaluate((field) => field === document.activeElement)).toBe(true)
    const words = await dashboard.replied()
    expect(words).toBe(stopped)
    // What was set aside for the rest comes back a moment after the connection closes.
    await expect.poll(() => dashboard.balance()).toBe(99)
    await screenshot(page, "stopped")

    await page.reload()
    await dashboard.reply.getByText("Stopped before the end.").waitFor()
    const stored = (await dashboard.reply.locator(".words").textContent()) ?? ""
    expect(stored.startsWith(stopped) || stopped.startsWith(stored)).toBe(true)
    expect(stored).not.toContain("For real answers")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("shows the models of other tiers, but lets nobody choose them", async () => {
    const dashboard = await stage.open()
    await dashboard.signIn("barbara@example.org")
    const models = dashboard.page.getByLabel("Model")
    await expect.poll(() => models.locator("option").count(), { timeout: 10_000 }).toBeGreaterThan(0)
    const options = await models
      .locator("option")
      .evaluateAll((all) =>
        all.map((option) => [option.textContent, option instanceof HTMLOptionElement && option.disabled])
      )
    expect(options).toContainEqual(["model-a-mini", false])
    expect(options).toContainEqual(["model-a (pro, business tier)", true])
    expect(await models.inputValue()).toBe("model-a-mini")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("drops a file anywhere on the zone, and beside it without losing the page", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("alan@example.org")
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(["The sluice opens at nine."], "sluice.txt", { type: "text/plain" }))
      return transfer
    })
    await page.dispatchEvent("#drop-zone", "drop", { dataTransfer: dropped })
    await dashboard.isReady("sluice.txt")
    expect(await page.getByRole("checkbox", { name: "sluice.txt" }).isChecked()).toBe(true)
    const kept = await page.evaluate(
      () => !document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true }))
    )
    expect(kept).toBe(true)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("signs out, and the next person sees nothing of the one before", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("first@example.org")
    await dashboard.add(minutesDocx)
    await dashboard.isReady("minutes.docx")
    await dashboard.ask("How high is the budget?")
    await dashboard.replied()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Email address").waitFor()
    await screenshot(page, "sign-in")
    await dashboard.signIn("second@example.org")
    await page.getByText("Checked documents are read for your questions.").waitFor()
    await page.getByText("Your chats are kept here.").waitFor()
    expect(await page.locator(".message, #document-list li, #chat-list li").count()).toBe(0)
    await screenshot(page, "empty")
    expect(dashboard.complaintsBut()).toEqual([])
  })
})
