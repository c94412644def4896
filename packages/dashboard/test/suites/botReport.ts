import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import { makeBot } from "../support/makeBot.ts"
import { startWidgetSite } from "../support/widgetSite.ts"
import { upload } from "../support/upload.ts"

interface ReportLook {
  readonly width: number
  readonly height: number
  readonly colorScheme: "light" | "dark"
}

/** The appearance that every run checks. */
export const REPORT_LOOKS: ReadonlyArray<ReportLook> = [{ width: 360, height: 1000, colorScheme: "dark" }]

/** The other ways. */
export const FURTHER_REPORT_LOOKS: ReadonlyArray<ReportLook> = [
  { width: 1280, height: 1000, colorScheme: "light" },
  { width: 800, height: 1000, colorScheme: "dark" }
]

const notes = { name: "notes.md", bytes: Buffer.from("# Storks\n\nStorks return in March.\n") }

/** The report of a bot, in these appearances, and the ratings that it counts, in windows of these widths. */
export const botReport = (looks: ReadonlyArray<ReportLook>, widths: ReadonlyArray<number>): void =>
  describeInChromium("the report of a bot", {}, (stage) => {
    it.each(looks)(
      "shows its conversations, open questions and documents, and saves its days, at $width px in $colorScheme",
      async ({ colorScheme, height, width }) => {
        let id = ""
        const dashboard = await stage.openAs(`reporter-${width}@example.org`, {
          options: { viewport: { width, height }, colorScheme },
          path: async (request) => {
            const documentIds = await upload(request, [notes])
            const bot = await makeBot({ request }, { displayName: "Stork guide", documentIds })
            id = bot.id
            const say = async (visitorId: string, message: string) => {
              const answer = await request.post("/api/widget/chat", {
                data: { publicKey: bot.key, visitorId, message }
              })
              expect(answer.status()).toBe(200)
              await answer.text()
            }
            await say("visitor-1", "When do storks return?")
            await say("visitor-2", "What does the ferry cost?")
            await say("visitor-3", "what does the FERRY cost")
            return `/bots/${bot.id}/report`
          }
        })
        const { page } = dashboard
        const report = page.getByRole("region", { name: "Report" })
        await report.getByText("Resolved by the bot", { exact: true }).first().waitFor()
        const facts = await report.locator("dl > div").allTextContents()
        expect(facts.slice(0, 2)).toEqual(["Conversations3", "Resolved by the bot33%"])
        expect(facts[4]).toBe("Unanswered questions2")
        await report.getByRole("link", { name: "what does the FERRY cost" }).waitFor()
        await report.getByText(/^2 times/).waitFor()
        await report.getByText("cited by 1 reply").waitFor()
        await report.locator("figure").waitFor()
        expect(await brokenRules(page)).toEqual([])
        expect(await overflowOf(page)).toBe(0)
        await screenshot(page, `bot-report-${width}`)
        const [saved] = await Promise.all([
          page.waitForEvent("download"),
          report.getByRole("button", { name: "Download as CSV" }).click()
        ])
        const lines = (await readFile(await saved.path(), "utf8")).trim().split("\r\n")
        expect(lines).toHaveLength(31)
        expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,3,2,3,2,0,0,\d+$/)
        await report.getByRole("link", { name: "what does the FERRY cost" }).click()
        await page.waitForURL(`**/bots/${id}/conversations/*`)
        expect(dashboard.complaintsBut()).toEqual([])
      }
    )

    it.each(widths)(
      "counts the ratings of visitors, which stay after a reload and can be taken back, at %i px",
      async (width) => {
        const options = { viewport: { width, height: 800 } }
        let id = ""
        let key = ""
        const { page: owner } = await stage.openAs(`rated-${width}@example.org`, {
          options,
          path: async (request) => {
            ;({ id, key } = await makeBot({ request }, { displayName: "Harbour guide" }))
            return `/bots/${id}`
          }
        })
        await using site = await startWidgetSite(stage.server.url, key)
        const { page } = await stage.open(options, site.url)
        const chat = page.frameLocator("iframe")
        await page.getByRole("button", { name: "Chat with Harbour guide" }).click()
        await chat.getByLabel("Your message").fill("Where is my berth?")
        await chat.getByLabel("Your message").press("Enter")
        const [good, bad] = [
          chat.getByRole("button", { name: "Good reply" }),
          chat.getByRole("button", { name: "Bad reply" })
        ]
        await bad.click()
        const pressed = () => Promise.all([good.getAttribute("aria-pressed"), bad.getAttribute("aria-pressed")])
        await expect.poll(pressed).toEqual(["false", "true"])
        const counted = async () => {
          const answer = await owner.request.get(`/api/bots/${id}/report?days=2`)
          const { days } = (await answer.json()) as {
            days: ReadonlyArray<{ good: number; bad: number; unanswered: number }>
          }
          return (["good", "bad", "unanswered"] as const).map((key) => days.reduce((sum, day) => sum + day[key], 0))
        }
        await expect.poll(counted).toEqual([0, 1, 1])
        expect(await brokenRules(page)).toEqual([])
        await screenshot(page, `visitor-rating-${width}`)
        await page.reload()
        await page.getByRole("button", { name: "Chat with Harbour guide" }).click()
        await expect.poll(pressed).toEqual(["false", "true"])
        await good.click()
        await expect.poll(counted).toEqual([1, 0, 0])
        await good.click()
        await expect.poll(pressed).toEqual(["false", "false"])
        await expect.poll(counted).toEqual([0, 0, 0])
      }
    )
  })
