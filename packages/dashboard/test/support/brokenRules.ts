import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Waits for the colours that the browser asks for, and then until only endless animations move. */
const still = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    const shown = document.documentElement.getAttribute("data-mantine-color-scheme")
    const chosen = localStorage.getItem("mantine-color-scheme-value") ?? "auto"
    const asked = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
    return shown === null || shown === (chosen === "auto" ? asked : chosen)
  })
  await page.evaluate(() => {
    const moving = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(moving.map(({ finished }) => finished.then(() => undefined)))
  })
}

/** The rules of WCAG 2.2 A and AA, and of good practice, that the page breaks, with their places. */
export const brokenRules = async (page: Page): Promise<ReadonlyArray<string>> => {
  await still(page)
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
    // Only violations are described; frames of other origins have no axe.
    const { violations } = await axe.run({ iframes: false, resultTypes: ["violations"] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.any.map(({ message }) => message).join(" ")}`)
    )
  })
}

/**
 * The distance by which the page as a whole can be scrolled, sideways or down, in pixels; it should be zero, because
 * its parts scroll.
 */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement
    return Math.max(scrollWidth - innerWidth, scrollHeight - innerHeight)
  })
