import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { hostPage, type Stage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

export const fileOf = (name: string, text = "Storks.") => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })

export const chooser = (widget: WidgetPage) => widget.frame.locator('input[type="file"]')

/** The width of a window, and its colours. */
type FileLook = readonly [width: number, colorScheme: "light" | "dark"]

/** The appearance that every run checks. */
export const FILE_LOOKS: ReadonlyArray<FileLook> = [[360, "light"]]

/** The other ways. */
export const FURTHER_FILE_LOOKS: ReadonlyArray<FileLook> = [
  [1_280, "dark"],
  [800, "light"],
  [360, "dark"]
]

/** Looks at attached files in both directions of writing. */
export const everyFile = (stage: Stage, looks: ReadonlyArray<FileLook>): void =>
  it.each([
    ["left-to-right", 'lang="en"'],
    ["right-to-left", 'lang="ar" dir="rtl"']
  ])("%s: break no rule of accessibility, and fit wide and narrow windows", async (name, html) => {
    for (const [width, colorScheme] of looks) {
      stage.service.configure(KEY, { ...CONFIG, visitorUploads: true, handOver: true })
      stage.service.fileAnswers.push({ status: "ready" }, { status: "failed", reason: "password" })
      const widget = await stage.visit({
        url: stage.site.page(`/files-${name}`, hostPage(stage.tag(), html)),
        viewport: { width, height: 760 },
        colorScheme,
        reducedMotion: "reduce"
      })
      await widget.launcher.click()
      await chooser(widget).setInputFiles([
        fileOf("receipt.txt"),
        fileOf("a-rather-long-name-of-a-file-that-somebody-has-photographed.txt")
      ])
      await widget.frame.locator('.files [data-state="failed"]').waitFor()
      const shape = `files-${name}-${width}-${colorScheme}`
      await screenshot(widget.page, shape)
      for (const frame of widget.page.frames()) {
        expect([shape, await brokenRules(frame)]).toEqual([shape, []])
        const tooWide = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([shape, tooWide <= 0]).toEqual([shape, true])
      }
    }
  })
