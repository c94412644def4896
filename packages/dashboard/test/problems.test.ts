import { expect, it } from "vitest"
import { CuttingProxy } from "./support/CuttingProxy.ts"
import { describeInChromium, screenshot } from "./support/describeInChromium.ts"
import { leasePdf, lockedPdf, textNamedPdf } from "./support/files.ts"

/** Enough for a shortened reply or two, and then for none. */
const fewCredits = { tiers: { free: { monthlyCredits: 3 } } }

describeInChromium("a person for whom something goes wrong", fewCredits, (stage) => {
  it("reads why a document failed, and can try again or delete it", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("locked@example.org")
    await dashboard.add(lockedPdf)
    const row = dashboard.document("locked.pdf")
    await row.getByText(/^Failed: .*(password|encrypt)/i).waitFor({ timeout: 30_000 })
    expect(await page.getByRole("checkbox", { name: "locked.pdf" }).isDisabled()).toBe(true)
    expect(await page.locator("#document-use").textContent()).toBe("No document is used")
    await screenshot(page, "failed-document")

    const again = page.waitForResponse((response) => response.url().endsWith("/api/rag"))
    await page.getByRole("button", { name: "Try again to read locked.pdf" }).click()
    expect((await again).status()).toBe(200)
    await row.getByText(/^Failed:/).waitFor()
    await page.getByRole("button", { name: "Delete locked.pdf" }).click()
    await page.getByRole("button", { name: "Delete", exact: true }).click()
    await row.waitFor({ state: "detached" })
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("reads why a file is refused, and the files beside it go through", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("refused@example.org")
    await dashboard.add(leasePdf, textNamedPdf)
    const alert = page.locator("#document-problem")
    await alert.getByText(/^pretender\.pdf: /).waitFor()
    await dashboard.isReady("lease.pdf")
    expect(await page.locator("#document-list li").count()).toBe(1)
    await page.getByRole("button", { name: "Dismiss this message" }).click()
    expect(await alert.textContent()).toBe("")
    expect(await page.evaluate(() => document.activeElement?.id), "focus is not lost with the message").toBe("file")
    expect(dashboard.complaintsBut(/status of 400 .*\/api\/upload/)).toEqual([])
  })

  it("is told that the balance buys a shorter reply, and at its end what is available and when credits come", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("poor@example.org")
    await dashboard.ask("Hello?")
    await dashboard.reply.getByText(/buys a shorter reply than usual: at most [\d,]+ tokens/).waitFor()
    await dashboard.replied()
    await expect.poll(() => dashboard.balance()).toBe(2)
    await dashboard.ask("And again?")
    await dashboard.replied()
    await expect.poll(() => dashboard.balance()).toBe(1)

    await dashboard.ask("And a third time?")
    const alert = page.locator("#chat-problem")
    await alert.getByText(/needs \d+ credits and 1 are available/).waitFor()
    const text = await alert.textContent()
    expect(text).toContain("Available now: 1 credit.")
    expect(text).toMatch(/Next monthly allowance: [A-Z][a-z]+ \d+, \d{4}/)
    expect(text, "no machine's way of writing a day").not.toMatch(/\dT\d/)
    expect(await dashboard.field.inputValue(), "the question is not lost").toBe("And a third time?")
    expect(await page.locator(".message").count(), "nothing unanswered stays in the transcript").toBe(4)
    await screenshot(page, "insufficient-credits")
    expect(dashboard.complaintsBut(/status of 402 .*\/api\/chat/)).toEqual([])
  })

  it("is told which chosen document a reply left out because it is not ready", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("pending@example.org")
    await dashboard.add(leasePdf)
    await dashboard.isReady("lease.pdf")
    await page.route("**/api/chat", async (route) => {
      const { documentIds } = route.request().postDataJSON()
      const response = await route.fetch()
      await route.fulfill({
        response,
        headers: { ...response.headers(), "x-documents-pending": documentIds.join(",") }
      })
    })
    await dashboard.ask("How high is the deposit?")
    await dashboard.reply.getByText("Left out, because not ready: lease.pdf.").waitFor()
    await dashboard.replied()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("sees markup in names, questions and replies as the text it is", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    const markup = '<img src="x" onerror="document.title = 1"><b>bold</b>'
    await dashboard.signIn("markup@example.org")
    await dashboard.add({ name: "<b>notes<b>.txt", bytes: Buffer.from(`The answer is ${markup}.`) })
    await dashboard.isReady("<b>notes<b>.txt")
    await dashboard.ask(`What is the answer, ${markup}?`)
    expect(await dashboard.replied()).toContain(markup)
    await dashboard.reply.locator("summary").first().click()
    expect(await dashboard.reply.locator("blockquote").first().textContent()).toContain(markup)
    expect(await page.locator("#app :is(b, img)").count()).toBe(0)
    expect(await page.title()).toBe("Parley")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("sees that a reply whose connection broke is incomplete, and asks again", async () => {
    const proxy = await CuttingProxy.start(stage.server.url)
    try {
      const dashboard = await stage.open({}, proxy.url)
      const { page } = dashboard
      await dashboard.signIn("cut@example.org")
      proxy.cutReplies(true)
      await dashboard.ask("What can you do?")
      await dashboard.reply.getByText("The reply broke off and is incomplete.").waitFor()
      expect((await dashboard.reply.locator(".words").textContent())?.length).toBeGreaterThan(0)
      await screenshot(page, "cut")
      proxy.cutReplies(false)
      await dashboard.replied()
      await page.getByRole("button", { name: "Ask again" }).click()
      await expect.poll(() => page.locator(".message-assistant").count()).toBe(2)
      expect(await dashboard.replied()).toContain("What can you do?")
      expect(await dashboard.reply.locator(".unfinished").count()).toBe(0)
      expect(dashboard.complaintsBut(/net::ERR_\w+ .*\/api\/chat\)/)).toEqual([])
    } finally {
      await proxy.stop()
    }
  })

  it("returns to the sign-in page when the session ends, and back to the same chat after it", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("ended@example.org")
    await page.context().clearCookies()
    await dashboard.ask("Am I still here?")
    await page.getByText("Your session has ended. Sign in again.").waitFor()
    expect(await dashboard.field.isVisible()).toBe(false)
    await screenshot(page, "session-ended")
    await dashboard.signIn("ended@example.org")
    expect(await dashboard.field.inputValue(), "the question is not lost").toBe("Am I still here?")
    expect(dashboard.complaintsBut(/status of 401 /)).toEqual([])
  })

  it("reads what is wrong with the address at sign-in", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await page.route("**/dev/sign-in", (route) =>
      route.fulfill({
        status: 400,
        contentType: "application/problem+json",
        body: JSON.stringify({ status: 400, title: "The request is not valid", detail: "email: Expected an address." })
      })
    )
    await page.getByLabel("Email address").fill("nobody@example.org")
    await page.keyboard.press("Enter")
    await page.locator("#sign-in-problem").getByText("email: Expected an address.").waitFor()
    expect(dashboard.complaintsBut(/status of 400 .*\/dev\/sign-in/)).toEqual([])
  })

  it("is told when the server cannot be reached, and the question is kept", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("offline@example.org")
    await page.context().setOffline(true)
    await dashboard.ask("Is anybody there?")
    await page.locator("#chat-problem").getByText("The server cannot be reached.").waitFor()
    expect(await dashboard.field.inputValue()).toBe("Is anybody there?")
    expect(dashboard.complaintsBut(/net::ERR_INTERNET_DISCONNECTED/)).toEqual([])
  })

  it("finds no chat under an address that names one of somebody else, and can start anew", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("lost@example.org")
    await page.goto("/#chat=00000000-0000-4000-8000-000000000000")
    await page.reload()
    await page.locator("#chat-problem").getByText("There is no such chat.").waitFor()
    await dashboard.ask("Hello?")
    await dashboard.replied()
    expect(dashboard.complaintsBut(/status of 404 .*\/api\/chats\//)).toEqual([])
  })
})
