import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { leasePdf, lockedPdf, minutesDocx, type NamedFile, textNamedPdf } from "../support/files.ts"

/** The quota of the free plan. */
const MAX_DOCUMENTS = 20

const asFile = ({ name, bytes }: NamedFile) => ({ name, mimeType: "", buffer: Buffer.from(bytes) })

const note = (name: string, text: string): NamedFile => ({ name, bytes: Buffer.from(text) })

const longText = Array.from(
  { length: 1_500 },
  (_, index) => `Paragraph ${index + 1} tells of the harbour, its cranes and the boats that are mended there.`
).join("\n\n")

/** Drops files on the page as a person does with the mouse. */
const drop = async (page: Page, files: ReadonlyArray<NamedFile>, release = true) => {
  const transfer = await page.evaluateHandle(
    (dropped) => {
      const data = new DataTransfer()
      for (const { name, text } of dropped) data.items.add(new File([text], name))
      return data
    },
    files.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString() }))
  )
  const target = page.getByRole("main").getByRole("heading", { level: 1 })
  await target.dispatchEvent("dragenter", { dataTransfer: transfer })
  await target.dispatchEvent("dragover", { dataTransfer: transfer })
  if (release) await target.dispatchEvent("drop", { dataTransfer: transfer })
}

export const documents = (stage: Stage): void => {
  let dashboard: DashboardPage
  let page: Page
  const list = () => page.getByRole("region", { name: "Your documents" })
  const row = (name: string) => list().getByRole("listitem").filter({ hasText: name })
  const input = () => page.locator("input[type=file]")
  const isReady = (name: string) => page.getByRole("link", { name: `Chat about it: ${name}` }).waitFor()

  beforeAll(async () => {
    dashboard = await stage.openAs("reader@example.org", { path: "/documents" })
    page = dashboard.page
  })

  it("offers a sample to a person without documents, and shows it when it is ready", async () => {
    await page.getByRole("button", { name: "Try a sample document" }).waitFor()
    await screenshot(page, "documents-empty")
    expect(await brokenRules(page)).toEqual([])
    await page.getByRole("button", { name: "Try a sample document" }).click()
    await isReady("sample-lease.md")
    await page.getByText(`1 of ${MAX_DOCUMENTS} documents, 1.5 kB of 100 MB`).waitFor()
  })

  it("takes several files at once, and says of each what became of it", async () => {
    await input().setInputFiles([leasePdf, minutesDocx, lockedPdf, textNamedPdf, note("empty.txt", "")].map(asFile))
    await Promise.all([isReady("lease.pdf"), isReady("minutes.docx")])
    expect(await row("lease.pdf").textContent()).toMatch(/PDF · 3 pages · [\d.]+ kB/)
    const uploads = page.getByRole("region", { name: "Uploads" })
    await uploads.getByText("The file is empty.").waitFor()
    await uploads.getByText("Its content is not what its name says.").waitFor()
    await row("locked.pdf").getByText("It is locked with a password.").waitFor()
    expect(await row("locked.pdf").getByRole("button", { name: "Try again" }).count()).toBe(0)
    await screenshot(page, "documents")
    await page.getByRole("button", { name: "Dismiss empty.txt" }).click()
    await page.getByRole("button", { name: "Dismiss pretender.pdf" }).click()
    expect(await uploads.count()).toBe(0)
  })

  it("takes files that are dropped on the page", async () => {
    await drop(page, [note("tides.txt", "High water is at noon."), note("long.txt", longText)], false)
    await page.getByText("Drop files here to upload them").waitFor()
    await screenshot(page, "documents-drop")
    await drop(page, [note("tides.txt", "High water is at noon."), note("long.txt", longText)])
    await Promise.all([isReady("tides.txt"), isReady("long.txt")])
    expect(await page.getByText("Drop files here to upload them").count()).toBe(0)
  })

  it("makes files that are dropped on a chat documents of that chat", async () => {
    await page.goto(`${new URL(page.url()).origin}/`)
    await page.getByRole("textbox", { name: "Message" }).waitFor()
    await drop(page, [note("ferries.txt", "The ferry leaves at nine.")], false)
    await page.getByText("Drop files here to upload them").waitFor()
    await drop(page, [note("ferries.txt", "The ferry leaves at nine.")])
    await page
      .getByRole("button", { name: /ferries\.txt/ })
      .first()
      .waitFor()
    await dashboard.goTo("Documents")
    await isReady("ferries.txt")
  })

  it("shows how far an upload is, and can end it", async () => {
    await page.route("**/api/upload", () => undefined)
    await input().setInputFiles([asFile(note("never.txt", "This does not arrive."))])
    await page.getByRole("progressbar", { name: "Progress of never.txt" }).waitFor()
    await page.getByRole("button", { name: "Cancel the upload of never.txt" }).click()
    await expect.poll(() => page.getByText("never.txt").count()).toBe(0)
    await page.unroute("**/api/upload")
  })

  it("tries an upload again that the network lost", async () => {
    await page.route("**/api/upload", (route) => route.abort())
    await input().setInputFiles([asFile(note("lost.txt", "Found again."))])
    await page.getByText("The server cannot be reached.").waitFor()
    await page.unroute("**/api/upload")
    await page.getByRole("region", { name: "Uploads" }).getByRole("button", { name: "Try again" }).click()
    await isReady("lost.txt")
  })

  it("says how far a document is, why it failed, and offers to try again only where that can help", async () => {
    const document = (filename: string, more: object) => ({
      id: randomUUID(),
      filename,
      type: "pdf",
      bytes: 18_400_000,
      status: "failed",
      progress: 0,
      reason: "Told by the server.",
      reasonCode: null,
      retryable: false,
      pages: null,
      passages: null,
      createdAt: new Date().toISOString(),
      ...more
    })
    const documents = [
      document("atlas.pdf", { status: "processing", progress: 0.72, reason: null }),
      document("scan.pdf", { reasonCode: "scan" }),
      document("unlucky.pdf", { reasonCode: "our_side", retryable: true })
    ]
    await page.route("**/api/documents", (route) => route.fulfill({ json: { documents } }))
    await page.reload()
    await page.getByText("Being made searchable · 72% · 18 MB").waitFor()
    expect(await page.getByRole("progressbar", { name: "Progress of atlas.pdf" }).getAttribute("value")).toBe("72")
    await row("scan.pdf").getByText("It is a scan: its pages are images without text.").waitFor()
    expect(await row("scan.pdf").getByRole("button", { name: "Try again" }).count()).toBe(0)
    await screenshot(page, "documents-states")
    const asked = page.waitForRequest("**/api/rag")
    await row("unlucky.pdf").getByRole("button", { name: "Try again" }).click()
    expect((await asked).postDataJSON()).toEqual({ documentId: documents[2]?.id })
    // The server does not have this document.
    await row("unlucky.pdf").getByRole("alert").waitFor()
    await page.unroute("**/api/documents")
    await page.reload()
  })

  it("finds documents by words of their names and by state", async () => {
    await page.getByRole("searchbox", { name: "Search documents" }).fill("LEASE pdf")
    await expect.poll(() => list().getByRole("listitem").count()).toBe(1)
    await page.getByRole("searchbox", { name: "Search documents" }).fill("nothing like this")
    await page.getByRole("button", { name: "Show all documents" }).click()
    await page.getByLabel("Show", { exact: true }).selectOption({ label: "Failed" })
    await expect
      .poll(() => list().getByRole("listitem").allTextContents())
      .toEqual([expect.stringContaining("locked.pdf")])
    await page.getByLabel("Show", { exact: true }).selectOption({ label: "All" })
  })

  it("leads to a new chat about a document", async () => {
    await page.getByRole("link", { name: "Chat about it: lease.pdf" }).click()
    await dashboard.documentsButton.filter({ hasText: /^1 document$/ }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe("")
    await dashboard.ask("How high is the deposit?")
    expect(await dashboard.replied()).toContain("three monthly rents")
    await dashboard.goTo("Documents")
  })

  it("shows what a document says, as people read it, and more on demand", async () => {
    await list().getByRole("link", { name: "long.txt", exact: true }).click()
    const text = page.getByRole("article", { name: "The document's text" })
    await text.getByText("Paragraph 1 tells of the harbour").waitFor()
    expect(await text.getByText("Paragraph 1500 tells").count()).toBe(0)
    const last = text.getByText("Paragraph 1500 tells of the harbour")
    const more = text.getByRole("button", { name: "Show more" })
    for (let asked = 0; asked < 10 && (await last.count()) === 0; asked += 1) {
      const shown = await text.locator("p").count()
      await more.click()
      await expect.poll(() => text.locator("p").count()).toBeGreaterThan(shown)
    }
    await last.waitFor()
    const paragraphs = await text.locator("p").allTextContents()
    expect(paragraphs.join("\n\n")).toBe(longText)
  })

  it("opens at a place of the text that the address names", async () => {
    const start = longText.indexOf("Paragraph 900 tells")
    const { pathname } = new URL(page.url())
    await page.goto(`${pathname}?from=${start}&to=${start + 20}`)
    const mark = page.locator("mark")
    await mark.waitFor()
    expect(await mark.textContent()).toBe("Paragraph 900 tells ")
    await expect.poll(() => mark.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(800)
    await page.getByRole("button", { name: "Show what is before" }).waitFor()
  })

  it("shows the pages of a pdf, with their text over them", async () => {
    await page.getByRole("link", { name: "All documents" }).click()
    await list().getByRole("link", { name: "lease.pdf", exact: true }).click()
    await page.getByText("Page 2", { exact: true }).waitFor()
    await screenshot(page, "document-text")
    await page.getByRole("radiogroup", { name: "View" }).getByText("Pages").click()
    await page.getByText("Page 1 of 3").waitFor()
    await page.getByRole("button", { name: "Next page" }).click()
    const sheet = page.getByRole("region", { name: "Page 2" })
    await sheet.getByText("Either party may end the lease").waitFor()
    await expect.poll(() => sheet.getAttribute("data-drawn")).toBe("true")
    await screenshot(page, "document-pages")
    expect(await brokenRules(page)).toEqual([])
    await page.goBack()
    await list().waitFor()
  })

  it("deletes a document only after a person confirmed it, with the keyboard alone", async () => {
    const dialog = page.getByRole("dialog", { name: "Delete this document?" })
    const openDialog = async () => {
      await page.getByRole("button", { name: "Options of tides.txt" }).press("Enter")
      await page.getByRole("menuitem", { name: "Delete" }).press("Enter")
      await dialog.waitFor()
    }
    await openDialog()
    await screenshot(page, "documents-delete")
    expect(await brokenRules(page)).toEqual([])
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    expect(await row("tides.txt").count()).toBe(1)
    await openDialog()
    await dialog.getByRole("button", { name: "Delete" }).press("Enter")
    await expect.poll(() => row("tides.txt").count()).toBe(0)
    await page.getByText("tides.txt was deleted.").waitFor({ state: "attached" })
  })

  it("says when the plan has no room for more", async () => {
    const readable = list().getByRole("listitem").filter({ hasNotText: "It is locked with a password." })
    const used = await readable.count()
    const files = Array.from({ length: MAX_DOCUMENTS - used + 1 }, (_, index) =>
      asFile(note(`more-${index}.txt`, "More."))
    )
    await input().setInputFiles(files)
    await page.getByText("Your plan has no room for more documents.").waitFor()
    await page.getByText(`${MAX_DOCUMENTS} of ${MAX_DOCUMENTS} documents`).waitFor()
  })

  it("the browser complained about nothing but what was refused", () => {
    expect(dashboard.complaintsBut(/\/api\/(upload|rag)/)).toEqual([])
  })
}
