import { join } from "node:path"
import type { Page } from "playwright-core"

/** Saves a screenshot in the folder that `PARLEY_TEST_SCREENSHOTS` names, for review; does nothing without it. */
export const screenshot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["PARLEY_TEST_SCREENSHOTS"]
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) })
}
