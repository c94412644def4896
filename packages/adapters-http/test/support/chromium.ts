import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"
const promised = process.env["CI"] !== undefined || process.env["CHROMIUM_PATH"] !== undefined
const reason = `There is none at ${executablePath}: install it, or set CHROMIUM_PATH.`

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP *.test 127.0.0.1"
]

/**
 * A suite in real Chromium, to which every name under `.test` is this machine. Where none is installed the suite says
 * so, and fails if one was promised by CI or CHROMIUM_PATH.
 */
export const describeInChromium = (name: string, body: (browser: () => Browser) => void): void => {
  describe(name, () => {
    if (!existsSync(executablePath)) {
      it(`runs in Chromium. ${reason}`, (test) => {
        if (promised) expect.fail(reason)
        test.skip(reason)
      })
      return
    }
    let browser: Browser | undefined
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args })
    })
    afterAll(async () => {
      await browser?.close()
    })
    body(() => {
      if (browser === undefined) throw new Error("Chromium has not started yet.")
      return browser
    })
  })
}
