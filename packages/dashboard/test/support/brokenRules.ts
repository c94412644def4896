import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Waits until nothing moves but what moves for ever: a colour on its way is not the one to be judged. */
const still = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    const moving = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(moving.map(({ finished }) => finished.then(() => undefined)))
  })

/** Every rule of WCAG 2.2 A and AA, and of good practice, that the page breaks, with where. */
export const brokenRules = async (page: Page): Promise<ReadonlyArray<string>> => {
  await still(page)
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
    // Only what is broken is described; frames of others have no axe to ask.
    const { violations } = await axe.run({ iframes: false, resultTypes: ["violations"] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.any.map(({ message }) => message).join(" ")}`)
    )
  })
}

/** How far the page as a whole can be scrolled, sideways or down, in pixels; none should: its parts scroll. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement
    return Math.max(scrollWidth - innerWidth, scrollHeight - innerHeight)
  })
