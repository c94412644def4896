import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { inTime, launchChromium, whereChromiumIs } from "../../../../test/support/chromium.ts"

/** A suite in real Chromium, to which every name under `.test` is this machine. */
export const describeInChromium = (name: string, body: (browser: () => Browser) => void): void => {
  describe(name, () =>
    whereChromiumIs(() => {
      let browser: Browser | undefined
      beforeAll(async () => {
        browser = await launchChromium()
      })
      afterAll(async () => {
        if (browser !== undefined) await inTime(browser.close())
      })
      body(() => {
        if (browser === undefined) throw new Error("Chromium has not started yet.")
        return browser
      })
    })
  )
}
