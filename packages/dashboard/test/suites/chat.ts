import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { leasePdf, minutesDocx } from "../support/files.ts"

/** On a desk and on a phone, in light and in dark. */
const screenshotEverywhere = async (page: Page, name: string) => {
  const size = page.viewportSize()
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      await screenshot(page, `${name}-${width}-${colorScheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: null })
  if (size !== null) await page.setViewportSize(size)
}

export const chat = (stage: Stage): void => {
  it("asks about a pdf and a docx, reads replies with their sources, and sees what each cost", async () => {
    const dashboard = await stage.openAs("ada@example.org")
    const { page } = dashboard
    const before = await dashboard.balance()
    await dashboard.add(leasePdf, minutesDocx)
    await dashboard.documentsButton.filter({ hasText: "2 documents" }).waitFor()

    await dashboard.ask("With which notice may the lease be ended?")
    expect(await dashboard.replied()).toContain("a notice of ninety days")
    expect(page.url()).toMatch(/\/chats\/[0-9a-f-]{36}$/)
    expect(await dashboard.stopButton.isVisible()).toBe(false)

    await dashboard.reply
      .getByRole("button", { name: /^Source \d+$/ })
      .first()
      .click()
    const source = page.getByRole("dialog")
    await source.getByText("Either party may end the lease with a notice of ninety days").first().waitFor()
    await screenshot(page, "source")
    await page.keyboard.press("Escape")
    await source.waitFor({ state: "detached" })
    await dashboard.reply.getByTitle("Show the receipt").click()
    await dashboard.reply.getByRole("row", { name: /Written: the reply/ }).waitFor()
    await dashboard.reply.getByRole("row", { name: /Charged \d+ credit/ }).waitFor()

    await expect.poll(() => dashboard.balance()).toBeLessThan(before)
    await dashboard.ask("Who is the treasurer?")
    expect(await dashboard.replied()).toContain("Grace Hopper")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("follows up after a reload with the documents that were attached, all of them still there", async () => {
    const dashboard = await stage.openAs("grace@example.org", { documents: [leasePdf, minutesDocx] })
    const { page } = dashboard
    await dashboard.documentsButton.filter({ hasText: "2 documents" }).click()
    await page.getByRole("dialog").getByRole("checkbox", { name: "minutes.docx" }).uncheck()
    await page.getByRole("button", { name: "Done" }).click()
    await dashboard.ask("How high is the deposit?")
    const words = await dashboard.replied()

    await page.reload()
    await dashboard.reply.getByTitle("Show the receipt").waitFor()
    expect(await dashboard.words.textContent()).toBe(words)
    await dashboard.documentsButton.filter({ hasText: "1 document" }).waitFor()
    await dashboard.ask("And within how many weeks is the deposit paid back?")
    await expect.poll(() => dashboard.replies.count()).toBe(2)
    expect(await dashboard.replied()).toContain("six weeks")

    await dashboard.documentsButton.click()
    await page.getByRole("dialog").getByRole("button", { name: "None" }).click()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText("No document is attached").waitFor()
    await page.reload()
    await dashboard.reply.getByTitle("Show the receipt").waitFor()
    await page.getByText("No document is attached").waitFor()
    expect(await dashboard.documentsButton.textContent()).toBe("No documents")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("goes from nothing to a cited reply by the sample document and a sample question", async () => {
    const dashboard = await stage.openAs("sample@example.org")
    const { page } = dashboard
    await page.getByText("No document is attached").waitFor()
    await page.getByRole("button", { name: /Try the sample document/ }).click()
    await page.getByRole("button", { name: "Who repairs the crane?" }).click()
    await expect.poll(() => dashboard.field.inputValue()).toBe("Who repairs the crane?")
    await dashboard.documentsButton.filter({ hasText: /^1 document$/ }).waitFor()
    await dashboard.field.press("Enter")
    expect(await dashboard.replied()).toContain("crane")
    await dashboard.reply
      .getByRole("button", { name: /^Source \d+$/ })
      .first()
      .waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("begins a new chat with the documents that they last chose or just uploaded, and with none before", async () => {
    const dashboard = await stage.openAs("chooser@example.org", { documents: [leasePdf, minutesDocx], path: "/" })
    const { page } = dashboard
    await page.getByText("No document is attached").waitFor()
    await screenshot(page, "start-with-documents")
    await dashboard.ask("What is the capital of Mongolia?")
    await dashboard.replied()
    await dashboard.reply.getByText("1 credit", { exact: true }).waitFor()

    await dashboard.goTo("New chat")
    await page.getByRole("button", { name: /Choose from your 2 documents/ }).click()
    await page.getByRole("dialog").getByRole("checkbox", { name: "minutes.docx" }).check()
    await page.getByRole("button", { name: "Done" }).click()
    await dashboard.ask("Who is the treasurer?")
    expect(await dashboard.replied()).toContain("Grace Hopper")
    await dashboard.goTo("New chat")
    await dashboard.documentsButton.filter({ hasText: /^1 document$/ }).waitFor()
    await page.reload()
    await dashboard.documentsButton.filter({ hasText: /^1 document$/ }).waitFor()

    await dashboard.goTo("Documents")
    const files = ["tides", "ferries"].map((name) => ({
      name: `${name}.txt`,
      mimeType: "text/plain",
      buffer: Buffer.from(`The ${name} come at noon.`)
    }))
    await page.locator('input[type="file"]').setInputFiles(files)
    for (const { name } of files) await page.getByRole("link", { name, exact: true }).waitFor()
    await dashboard.goTo("New chat")
    await dashboard.documentsButton.filter({ hasText: /^2 documents$/ }).waitFor()
    await dashboard.ask("When do the tides come?")
    expect(await dashboard.replied()).toContain("The tides come at noon.")

    await dashboard.goTo("New chat")
    await dashboard.documentsButton.click()
    await page.getByRole("dialog").getByRole("button", { name: "None" }).click()
    await page.getByRole("button", { name: "Done" }).click()
    await page.reload()
    await page.getByText("No document is attached").waitFor()
    expect(await dashboard.documentsButton.textContent()).toBe("No documents")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("goes on with a chat after one of its documents was deleted, on this page or on another", async () => {
    const dashboard = await stage.openAs("deletes@example.org")
    const { page } = dashboard
    const tidesTxt = { name: "tides.txt", bytes: Buffer.from("The tides come at noon.") }
    await dashboard.add(leasePdf, minutesDocx, tidesTxt)
    await dashboard.documentsButton.filter({ hasText: /^3 documents$/ }).waitFor()
    await dashboard.ask("Who is the treasurer?")
    expect(await dashboard.replied()).toContain("Grace Hopper")

    await dashboard.goTo("Documents")
    await page.getByRole("button", { name: "Options of minutes.docx" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await dashboard.navigation.getByRole("link", { name: "Who is the treasurer?" }).click()
    await dashboard.documentsButton.filter({ hasText: /^2 documents$/ }).waitFor()
    await dashboard.ask("When do the tides come?")
    await expect.poll(() => dashboard.replies.count()).toBe(2)
    expect(await dashboard.replied()).toContain("The tides come at noon.")

    await page.evaluate(async () => {
      const { documents } = (await (await fetch("/api/documents")).json()) as {
        documents: ReadonlyArray<{ id: string; filename: string }>
      }
      const tides = documents.find(({ filename }) => filename === "tides.txt")
      await fetch(`/api/documents/${tides?.id}`, { method: "DELETE" })
    })
    await dashboard.ask("How high is the deposit?")
    await expect.poll(() => dashboard.replies.count()).toBe(3)
    expect(await dashboard.replied()).toContain("three monthly rents")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("is offered the documents that were read, and not those that could not be", async () => {
    const dashboard = await stage.openAs("unread@example.org", { documents: [leasePdf] })
    const { page } = dashboard
    await dashboard.goTo("Documents")
    const broken = { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\nnothing") }
    await page.locator('input[type="file"]').setInputFiles(broken)
    await page.getByText("The end of the file is missing.").waitFor()
    await page.evaluate(() => localStorage.clear())
    await page.goto("/")
    await page.getByRole("button", { name: /Choose from your 1 document$/ }).waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("stays on the same page, with its field and its focus, when a new chat gets its address", async () => {
    const dashboard = await stage.openAs("stays@example.org")
    const { page } = dashboard
    const field = await dashboard.field.elementHandle()
    await dashboard.ask("Hello? !offline slow 300")
    await page.waitForURL(/\/chats\/[0-9a-f-]{36}$/)
    expect(await field?.evaluate((element) => element === document.activeElement)).toBe(true)
    await dashboard.stopButton.click()
    await dashboard.replied()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("searches, renames and exports a chat, and deletes it", async () => {
    const dashboard = await stage.openAs("edsger@example.org")
    const { page, navigation } = dashboard
    for (const question of ["What is a semaphore?", "What is a monitor?"]) {
      await dashboard.goTo("New chat")
      await dashboard.ask(question)
      await dashboard.replied()
    }
    await navigation.getByRole("heading", { name: "Today" }).waitFor()
    await navigation.getByLabel("Search chats").fill("semaphore")
    await navigation.getByRole("link", { name: "What is a monitor?" }).waitFor({ state: "detached" })
    await navigation.getByLabel("Search chats").fill("nowhere to be found")
    await navigation.getByText("No chat has these words.").waitFor()
    await navigation.getByLabel("Search chats").fill("")

    const menu = (title: string) => navigation.getByRole("button", { name: `Options of the chat ${title}` })
    await navigation.getByRole("link", { name: "What is a monitor?" }).hover()
    await menu("What is a monitor?").click()
    await page.getByRole("menuitem", { name: "Rename" }).click()
    await navigation.getByLabel("New name").fill("Monitors")
    await navigation.getByLabel("New name").press("Enter")
    await navigation.getByRole("link", { name: "Monitors" }).waitFor()
    await page.waitForFunction(() => document.title.startsWith("Monitors"))

    const exported = async (format: string) => {
      await menu("Monitors").click()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: `Export as ${format}` }).click()
      ])
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") }
    }
    const markdown = await exported("Markdown")
    expect(markdown.name).toBe("Monitors.md")
    expect(markdown.text).toMatch(/^# Monitors\n\n## You\n\nWhat is a monitor\?\n\n## Assistant\n\n./)
    const json = await exported("JSON")
    expect(json.name).toBe("Monitors.json")
    expect(JSON.parse(json.text)).toMatchObject({
      title: "Monitors",
      messages: [
        { role: "user", content: "What is a monitor?" },
        { role: "assistant", state: "complete" }
      ]
    })

    await menu("Monitors").click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await navigation.getByRole("link", { name: "Monitors" }).waitFor({ state: "detached" })
    await page.getByRole("heading", { name: "What would you like to know?" }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/")
    // A look for changes may ask for the chat while it is being deleted.
    expect(dashboard.complaintsBut(/status of 404 .*\/api\/chats\//)).toEqual([])
  })

  it("has a reply written again and edits a question in their places, and goes back and forth between the versions", async () => {
    const dashboard = await stage.openAs("barbara@example.org")
    const { page, navigation } = dashboard
    await dashboard.ask("What is a semaphore?")
    await dashboard.replied()
    const address = page.url()
    await dashboard.ask("And what is a mutex?")
    await dashboard.replied()

    await dashboard.replies.first().getByRole("button", { name: "Answer again" }).click()
    await expect.poll(() => dashboard.replies.count()).toBe(1)
    const ofReply = dashboard.replies.first().getByRole("group", { name: "Versions of this message" })
    await ofReply.getByText("2/2").waitFor()
    expect(page.url()).toBe(address)

    const previous = ofReply.getByRole("button", { name: "Previous version" })
    await previous.focus()
    await page.keyboard.press("Enter")
    await ofReply.getByText("1/2").waitFor()
    await page.getByText("And what is a mutex?").first().waitFor()
    expect(await previous.evaluate((button) => button === document.activeElement)).toBe(true)
    expect(await previous.getAttribute("aria-disabled")).toBe("true")

    const second = page.locator('[data-role="user"]').nth(1)
    await second.hover()
    await second.getByRole("button", { name: "Edit and ask again" }).click()
    await page.getByLabel("Your message, edited").fill("And what is a barrier?")
    await page.getByRole("button", { name: "Ask again", exact: true }).click()
    await second.getByText("2/2").waitFor()
    await dashboard.replies.nth(1).getByTitle("Show the receipt").waitFor()
    await screenshotEverywhere(page, "versions")
    await page.reload()
    await second.getByText("And what is a barrier?").waitFor()
    await second.getByRole("button", { name: "Previous version" }).click()
    await second.getByText("And what is a mutex?").waitFor()
    await dashboard.ask("Are they the same?")
    await dashboard.replied()
    expect(await page.locator('[data-role="user"]').allTextContents()).toEqual([
      expect.stringContaining("What is a semaphore?"),
      expect.stringContaining("And what is a mutex?"),
      expect.stringContaining("Are they the same?")
    ])
    expect(await navigation.getByRole("link", { name: /semaphore/ }).count()).toBe(1)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("edits the first question, and another page shows the same chat", async () => {
    const dashboard = await stage.openAs("margaret@example.org")
    const { page } = dashboard
    await dashboard.ask("What is a queue?")
    await dashboard.replied()
    const first = page.locator('[data-role="user"]').first()
    await first.hover()
    await first.getByRole("button", { name: "Edit and ask again" }).click()
    await page.getByLabel("Your message, edited").fill("What is a stack?")
    await page.getByRole("button", { name: "Ask again", exact: true }).click()
    await first.getByText("2/2").waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('[data-role="user"]').getByText("What is a stack?").waitFor()
    await other.getByRole("button", { name: "Previous version" }).click()
    await other.locator('[data-role="user"]').getByText("What is a queue?").waitFor()
    await other.close()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("sees models by their names and prices, and can choose none that the plan does not include", async () => {
    const dashboard = await stage.openAs("leslie@example.org")
    const { page } = dashboard
    await page.getByRole("button", { name: /^Model: GPT-6 Luna/ }).click()
    const mini = page.getByRole("menuitemradio", { name: /GPT-6 Luna.*1 read, 4 written/s })
    expect(await mini.getAttribute("aria-checked")).toBe("true")
    const other = page.getByRole("menuitemradio", { name: /Claude Opus.*With the Business plan/s })
    expect(await other.isDisabled()).toBe(true)
    expect(await mini.textContent()).toMatch(/GPT-6 Luna \(stand-in\).*a stand-in answers/)
    await screenshot(page, "models")
    await page.keyboard.press("Escape")
    await dashboard.ask("Who answers?")
    await dashboard.replied()
    await dashboard.reply.getByTitle("Show the receipt").click()
    await dashboard.reply.getByText("GPT-6 Luna (stand-in)").waitFor()
    await dashboard.goTo("Plan and billing")
    await page.getByText("Models: GPT-6 Luna (stand-in)").first().waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("signs out, and the next person sees nothing of the one before", async () => {
    const dashboard = await stage.openAs("first@example.org", { documents: [minutesDocx] })
    const { page, navigation } = dashboard
    await dashboard.ask("How high is the budget?")
    await dashboard.replied()
    await dashboard.signOut()
    await dashboard.signIn("second@example.org")
    await navigation.getByText("Your chats are kept here.").waitFor()
    await navigation.getByText("second@example.org").waitFor()
    expect(await dashboard.replies.count()).toBe(0)
    await dashboard.goTo("New chat")
    await page.getByRole("button", { name: /Try the sample document/ }).waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("signs out, and leaves no unsent text of a message or a bot in the browser", async () => {
    const dashboard = await stage.openAs("drafts@example.org")
    const { page } = dashboard
    const unsent = () => page.evaluate(() => Object.entries(sessionStorage).filter(([key]) => key.includes("draft")))
    await dashboard.field.fill("Not for the next person")
    await page.goto("/bots/new")
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Not for them either")
    expect(await unsent()).toHaveLength(2)
    await page.reload()
    expect(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue()).toBe("Not for them either")
    await dashboard.signOut()
    expect(await unsent()).toEqual([])
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it.each([
    ["en-US", /New ones come on [A-Z][a-z]+ \d{1,2}, \d{4}\./],
    ["en-GB", /New ones come on \d{1,2} [A-Z][a-z]+ \d{4}\./]
  ])("reads days as the browser's own %s writes them", async (locale, written) => {
    const dashboard = await stage.openAs("travels@example.org", { path: "/usage", options: { locale } })
    const balance = dashboard.page.getByRole("region", { name: "Your balance" })
    await expect.poll(() => balance.textContent()).toMatch(written)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("reads the application in German, its numbers too, and keeps that choice and the colours", async () => {
    const dashboard = await stage.openAs("konrad@example.org")
    const { page } = dashboard
    await dashboard.goTo("Settings")
    await page.getByLabel("Language").selectOption("de")
    await page.getByRole("heading", { level: 1, name: "Einstellungen" }).waitFor()
    await page.getByRole("radiogroup", { name: "Farben" }).getByText("Dunkel").click()
    await page.reload()
    await page.getByRole("heading", { level: 1, name: "Einstellungen" }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("de")
    expect(await page.evaluate(() => document.documentElement.dataset["mantineColorScheme"])).toBe("dark")
    await page.getByText("Noch 100 Credits").waitFor()
    await screenshot(page, "german")
    expect(dashboard.complaintsBut()).toEqual([])
  })
}
