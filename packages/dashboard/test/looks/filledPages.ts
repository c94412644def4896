import { expect, it } from "vitest"
import { describeInChromium } from "../support/describeInChromium.ts"
import { leasePdf, minutesDocx } from "../support/files.ts"
import { checkLook, type Look } from "./Look.ts"

/** Usage of weeks and of several models, which a test cannot wait for. */
const weeksOfUsage = (url: string) => {
  const query = new URL(url).searchParams
  const to = query.get("to") ?? ""
  const last = Date.parse(to)
  const days = Array.from({ length: 24 }, (_, index) => new Date(last - index * 86_400_000).toISOString().slice(0, 10))
  const models = ["model-a-mini", "model-a", "model-b-sonnet-20241022"]
  const usage = days.toReversed().flatMap((day, index) =>
    models.slice(0, 1 + (index % 3)).map((model, place) => ({
      day,
      source: place === 1 ? "bot:1" : "chat",
      model,
      replies: 2 + (index % 5),
      credits: 12 + ((index * 37) % 90) + place * 25,
      input_tokens: 4_200,
      output_tokens: 900
    }))
  )
  return { usage, from: query.get("from"), to }
}

/** Checks the pages of a person with documents and weeks of usage. */
export const filledPages = (looks: ReadonlyArray<Look>): void =>
  describeInChromium("a page full of what a person has", {}, (stage) => {
    it.each(looks)("breaks no rule of accessibility and does not scroll sideways, $name", async (look) => {
      const dashboard = await stage.openAs(`filled-${look.name}@example.org`, {
        documents: [leasePdf, minutesDocx],
        options: look.options
      })
      const { page } = dashboard
      const messages = [{ role: "user", content: "With which notice may the lease be ended?" }]
      expect((await page.request.post("/api/chat", { data: { messages } })).status()).toBe(200)
      await dashboard.goTo("Documents")
      const lease = page.getByRole("main").getByRole("link", { name: "lease.pdf", exact: true })
      await lease.waitFor()
      await checkLook(page, look, "filled-documents")
      await lease.click()
      await page.getByText("Page 2", { exact: true }).waitFor()
      await checkLook(page, look, "filled-document")

      await page.route("**/api/billing/usage?*", (route) =>
        route.fulfill({ json: weeksOfUsage(route.request().url()) })
      )
      await dashboard.goTo("Usage")
      await page.getByRole("figure").locator("path").first().waitFor()
      await page.getByRole("region", { name: "History" }).getByRole("listitem").first().getByRole("button").click()
      for (const view of ["Chart", "Table"]) {
        await page.getByRole("radiogroup", { name: "View" }).getByText(view).click()
        await page
          .getByRole(view === "Chart" ? "figure" : "table")
          .first()
          .waitFor()
        await checkLook(page, look, `filled-usage-${view}`)
      }
      expect(dashboard.complaintsBut()).toEqual([])
    })
  })
