import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import { describeInChromium } from "../support/describeInChromium.ts"

const LOOKS = [
  { width: 1280, height: 800, colorScheme: "light" },
  { width: 800, height: 800, colorScheme: "dark" },
  { width: 360, height: 740, colorScheme: "dark" }
] as const

/** Draws a picture of this size in the page, and gives it to the field as if it was pasted, or drops it. */
const give = (page: Page, how: "paste" | "drop", width: number, height: number) =>
  page.evaluate(
    async ([kind, wide, high]) => {
      const canvas = document.createElement("canvas")
      canvas.width = wide
      canvas.height = high
      const pen = canvas.getContext("2d")
      if (pen !== null) {
        pen.fillStyle = "teal"
        pen.fillRect(0, 0, wide, high / 2)
      }
      const blob = await new Promise<Blob | null>((resolve) => {
        canvas.toBlob(resolve, "image/png")
      })
      const data = new DataTransfer()
      data.items.add(new File([blob ?? ""], "shot.png", { type: "image/png" }))
      const field = document.querySelector("form textarea")
      const event =
        kind === "paste"
          ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
      field?.dispatchEvent(event)
    },
    [how, width, height] as const
  )

const added = (page: Page) => page.getByRole("button", { name: /^Take image \d out/ })
const sizesIn = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((images) =>
    Promise.all(
      images.map(async (each) => {
        const image = each as HTMLImageElement
        await image.decode()
        return [image.naturalWidth, image.naturalHeight]
      })
    )
  )

describeInChromium("images of a message", {}, (stage) => {
  it.each(LOOKS)(
    "are pasted, dropped, taken out, sent small, and shown in the chat, at $width px in $colorScheme",
    async ({ colorScheme, height, width }) => {
      const options = { viewport: { width, height }, colorScheme }
      const dashboard = await stage.openAs(`painter-${width}@example.org`, { options })
      const { page } = dashboard
      await dashboard.field.waitFor()
      await page.getByTitle("Add images, or take a photo").waitFor()
      await give(page, "paste", 3_136, 1_000)
      await expect.poll(() => added(page).count()).toBe(1)
      await give(page, "drop", 40, 30)
      await expect.poll(() => added(page).count()).toBe(2)
      await page
        .locator('input[accept="image/*"]')
        .setInputFiles([{ name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no image") }])
      await page.getByText("The browser cannot read this image.").waitFor()
      await give(page, "paste", 10, 10)
      await expect.poll(() => added(page).count()).toBe(3)
      expect(await sizesIn(page, "form img")).toEqual([
        [1_568, 500],
        [40, 30],
        [10, 10]
      ])
      await added(page).nth(2).click()
      await expect.poll(() => added(page).count()).toBe(2)
      expect(await brokenRules(page)).toEqual([])
      expect(await overflowOf(page)).toBeLessThanOrEqual(0)
      await screenshot(page, `images-added-${width}`)

      await dashboard.ask("What is in these images?")
      await dashboard.replied()
      expect(await added(page).count()).toBe(0)
      const shown = '[data-role="user"] img'
      expect(await sizesIn(page, shown)).toEqual([
        [1_568, 500],
        [40, 30]
      ])
      expect(await brokenRules(page)).toEqual([])
      expect(await overflowOf(page)).toBeLessThanOrEqual(0)
      await screenshot(page, `images-sent-${width}`)
      await page.reload()
      await expect.poll(() => page.locator(shown).count()).toBe(2)

      // The edited question keeps its images.
      await page.locator('[data-role="user"]').hover()
      await page.getByRole("button", { name: "Edit and ask again" }).click()
      await page.getByLabel("Your message, edited").fill("And their colours?")
      await page.getByRole("button", { name: "Ask again" }).click()
      await page.getByText("And their colours?").waitFor()
      await dashboard.replied()
      expect(await page.locator(shown).count()).toBe(2)
      expect(dashboard.complaintsBut()).toEqual([])
    }
  )
})

describeInChromium("images of the next question", {}, (stage) => {
  it("stay in the field while an earlier question is answered again", async () => {
    const dashboard = await stage.openAs("patient@example.org")
    const { page } = dashboard
    await dashboard.ask("What do storks eat?")
    await dashboard.replied()
    await give(page, "paste", 10, 10)
    await expect.poll(() => added(page).count()).toBe(1)
    await page.locator('[data-role="assistant"]').hover()
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/chat"))
    await page.getByRole("button", { name: "Answer again" }).click()
    await sent
    await dashboard.replied()
    expect(await added(page).count()).toBe(1)
  })
})

describeInChromium("a model that sees no images", { models: { "model-a-mini": { imageTokens: 0 } } }, (stage) => {
  it("gets none: the page says so, and offers no button", async () => {
    const dashboard = await stage.openAs("blind@example.org")
    const { page } = dashboard
    await dashboard.field.waitFor()
    await page.getByRole("button", { name: /^Model:/ }).waitFor()
    expect(await page.getByTitle("Add images, or take a photo").count()).toBe(0)
    await give(page, "paste", 10, 10)
    await page.getByText("This model sees no images.").waitFor()
    expect(await added(page).count()).toBe(0)
    expect(await brokenRules(page)).toEqual([])
  })
})

describeInChromium("a spoken message", {}, (stage) => {
  it("is written behind the text as it is said, and can be changed and sent", async () => {
    const dashboard = await stage.openAs("speaker@example.org")
    const { page } = dashboard
    // The browser's own recognition asks a server of its maker.
    await page.addInitScript(() => {
      class Spoken extends EventTarget {
        start() {
          Object.assign(globalThis, { spoken: this })
        }
        stop() {
          this.dispatchEvent(new Event("end"))
        }
        abort() {
          this.stop()
        }
      }
      Object.assign(globalThis, { SpeechRecognition: Spoken, webkitSpeechRecognition: Spoken })
    })
    await page.reload()
    await dashboard.field.fill("Dear assistant,")
    const say = (...parts: ReadonlyArray<string>) =>
      page.evaluate((words) => {
        const results = words.map((transcript) => [{ transcript }])
        ;(globalThis as { spoken?: EventTarget }).spoken?.dispatchEvent(Object.assign(new Event("result"), { results }))
      }, parts)
    await page.getByRole("button", { name: "Speak your message" }).click()
    const stop = page.getByRole("button", { name: "Stop listening" })
    await stop.waitFor()
    expect(await brokenRules(page)).toEqual([])
    await say("when do")
    await expect.poll(() => dashboard.field.inputValue()).toBe("Dear assistant, when do")
    await say("When do ", "storks return?")
    await expect.poll(() => dashboard.field.inputValue()).toBe("Dear assistant, When do storks return?")
    await stop.click()
    await page.getByRole("button", { name: "Speak your message" }).click()
    await say("Please")
    await expect.poll(() => dashboard.field.inputValue()).toBe("Dear assistant, When do storks return? Please")
    await dashboard.field.press("Enter")
    await dashboard.replied()
    // Nothing that was sent comes back with later words.
    await page.getByRole("button", { name: "Speak your message" }).waitFor()
    expect(await dashboard.field.inputValue()).toBe("")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("whose microphone is refused leaves the text as it is, and the button says what to do", async () => {
    const dashboard = await stage.openAs("mute@example.org")
    const { page } = dashboard
    await page.addInitScript(() => {
      class Refused extends EventTarget {
        start() {
          this.dispatchEvent(Object.assign(new Event("error"), { error: "not-allowed" }))
          this.dispatchEvent(new Event("end"))
        }
        stop() {}
      }
      Object.assign(globalThis, { SpeechRecognition: Refused, webkitSpeechRecognition: Refused })
    })
    await page.reload()
    await dashboard.field.fill("Hello")
    await page.getByRole("button", { name: "Speak your message" }).click()
    await page.getByRole("button", { name: /^The microphone cannot be used/ }).waitFor()
    expect(await dashboard.field.inputValue()).toBe("Hello")
  })
})
