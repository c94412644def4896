import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"
import type { WindowLook } from "./WindowLook.ts"

/** Draws a picture of this size in the page, and gives it to the field as if it was pasted, or drops it. */
export const give = (page: Page, how: "paste" | "drop", width: number, height: number) =>
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

export const added = (page: Page) => page.getByRole("button", { name: /^Take image \d out/ })
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

/** Images are added to a message and sent, in each of these appearances. */
export const messageImages = (stage: Stage, looks: ReadonlyArray<WindowLook>): void => {
  it.each(looks)(
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
}
