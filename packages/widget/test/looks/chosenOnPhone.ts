import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"

/** A look that a bot's owner chose. */
export const CHOSEN = {
  ...CONFIG,
  position: "left",
  launcherText: "Ask us",
  cornerRadius: 0,
  font: "serif",
  colorScheme: "dark"
}

/** Looks at it on a phone. */
export const chosenOnPhone = (stage: Stage, colorSchemes: ReadonlyArray<"light" | "dark">): void =>
  it.each(colorSchemes)("stays legible on a phone, %s, and the words wrap", async (colorScheme) => {
    stage.service.configure(KEY, {
      ...CHOSEN,
      colorScheme,
      font: "mono",
      cornerRadius: 24,
      launcherText: "Wwwwwwwww ".repeat(3).trim()
    })
    const widget = await stage.visit({ viewport: { width: 320, height: 640 } })
    await widget.launcher.waitFor()
    const { width, x } = (await widget.launcher.boundingBox())!
    expect(x + width).toBeLessThanOrEqual(300)
    await screenshot(widget.page, `appearance-phone-${colorScheme}-launcher`)
    await widget.open()
    await screenshot(widget.page, `appearance-phone-${colorScheme}`)
    for (const frame of widget.page.frames()) expect(await brokenRules(frame)).toEqual([])
  })
