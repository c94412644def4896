import type { Page } from "playwright-core"

/** The events of a page that tests listen to. */
const HEARD = ["console", "dialog", "pageerror", "request", "response"] as const

/**
 * Resets the session of a page: clears the storage of these origins, and closes other pages. The page stays, at
 * `blank`: a new one starts processes that compile everything again, several times the work of loading it.
 */
export const clearSession = async (page: Page, blank: string, origins: ReadonlyArray<string>): Promise<void> => {
  const context = page.context()
  const others = context.pages().filter((each) => each !== page)
  await Promise.all(others.map((each) => each.close()))
  for (const event of HEARD) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await page.goto(blank)
  await page.evaluate(() => sessionStorage.clear())
  const browser = await context.newCDPSession(page)
  for (const origin of origins) await browser.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" })
  await browser.detach()
  await context.clearCookies()
  await page.mouse.move(-1, -1)
}
