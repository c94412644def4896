import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { leasePdf, minutesDocx, type NamedFile } from "../support/files.ts"

const manual: NamedFile = {
  name: "manual.md",
  bytes: Buffer.from(
    [
      "# The crane",
      "## Upkeep",
      "### Ropes",
      "A rope of the crane is replaced after four hundred hours of work, or at once where three wires in one lay are bro-\nken. The old rope is cut before it is thrown away.",
      "## Operation",
      ...Array.from({ length: 30 }, (_, index) => `Rule ${index + 1}: nobody stands below a load that is being moved.`)
    ].join("\n\n")
  )
}

export const sources = (stage: Stage): void => {
  let dashboard: DashboardPage
  let page: Page
  const drawer = () => page.getByRole("dialog")
  const sourceOf = (name: string) =>
    dashboard.reply
      .getByRole("group", { name: /source/ })
      .getByRole("button")
      .filter({ hasText: name })
  const close = async () => {
    await page.keyboard.press("Escape")
    await drawer().waitFor({ state: "detached" })
  }

  beforeAll(async () => {
    dashboard = await stage.openAs("student@example.org", { documents: [leasePdf, minutesDocx, manual] })
    page = dashboard.page
    await dashboard.documentsButton.filter({ hasText: "3 documents" }).waitFor()
    await dashboard.ask("With which notice may the lease be ended?")
    await dashboard.replied()
  })

  it("are listed as they are cited, each with its place and what the reply rests on", async () => {
    const source = sourceOf("lease.pdf").first()
    await source.waitFor()
    expect(await source.textContent()).toMatch(/Source \d+.*lease\.pdf.*page 2/)
    expect(await source.locator("mark").textContent()).toContain("a notice of ninety days")
    // A picture of the cited page, which is white with some words.
    const picture = source.locator("[data-drawn=true] img")
    await picture.waitFor()
    const drawn = await picture.evaluate(async (image: HTMLImageElement) => {
      await image.decode()
      const canvas = document.createElement("canvas")
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      const context = canvas.getContext("2d")!
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
      return data.filter((value, index) => index % 4 === 0 && value < 200).length
    })
    expect(drawn, "words are drawn").toBeGreaterThan(20)
    expect(await sourceOf("manual.md").locator("[data-drawn]").count()).toBe(0)
    await screenshot(page, "sources-list")
    expect(await brokenRules(page)).toEqual([])
  })

  it("are one click away from their citation: the quote in its passage, in its document", async () => {
    await dashboard.words
      .getByRole("button", { name: /^Source \d+$/ })
      .first()
      .click()
    await drawer().locator("mark").first().waitFor()
    expect(await drawer().locator("mark").first().textContent()).toContain("ninety days to the end of a month.")
    await drawer().getByText("The deposit is three monthly rents").waitFor()
    await screenshot(page, "source-text")
    expect(await brokenRules(page)).toEqual([])
  })

  it("of a pdf show the page itself, with the quote marked on it", async () => {
    await drawer().getByRole("radiogroup").getByText("Page 2").click()
    const sheet = drawer().getByRole("region", { name: "Page 2" })
    await drawer().locator('[data-drawn="true"]').waitFor()
    expect((await sheet.locator("mark").allTextContents()).join("")).toContain("a notice of ninety days")
    const pixels = await sheet.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height)
      return data.filter((value, index) => index % 4 === 0 && value < 96).length
    })
    expect(pixels, "words are drawn").toBeGreaterThan(500)
    await screenshot(page, "source-page")
    expect(await brokenRules(page)).toEqual([])
    await close()
  })

  it("of other documents are named by the headings above them, their lines joined", async () => {
    await dashboard.ask("After how many hours is a rope of the crane replaced?")
    await dashboard.replied()
    const source = sourceOf("manual.md").first()
    expect(await source.textContent()).toContain("The crane › Upkeep › Ropes")
    await source.press("Enter")
    await drawer().locator("mark").first().waitFor()
    expect(await drawer().textContent()).toContain("three wires in one lay are broken.")
    await drawer().getByRole("link", { name: "Open the document here" }).press("Enter")
    await page.waitForURL(/\/documents\/[0-9a-f-]+\?from=\d+&to=\d+$/)
    await page.getByRole("heading", { level: 1, name: "manual.md" }).waitFor()
    await page.locator("mark").first().waitFor()
    await page.goBack()
    await dashboard.reply.waitFor()
  })

  it("stay readable after their document was deleted", async () => {
    const answer = await page.request.get("/api/documents")
    const { documents } = (await answer.json()) as { documents: ReadonlyArray<{ id: string; filename: string }> }
    const lease = documents.find(({ filename }) => filename === "lease.pdf")
    expect((await page.request.delete(`/api/documents/${lease?.id}`)).status()).toBe(204)
    await page.reload()
    await dashboard.replies
      .first()
      .getByRole("button", { name: /^Source \d+.*lease/ })
      .click()
    await drawer().getByText("The document was deleted.").waitFor()
    expect(await drawer().locator("mark").first().textContent()).toContain("a notice of ninety days")
    await close()
  })

  it("the browser complained about nothing but the deleted document", () => {
    expect(dashboard.complaintsBut(/status of 404 .*\/api\/documents\/[^/]+\/text/)).toEqual([])
  })
}
