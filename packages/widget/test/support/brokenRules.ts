import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import type { Frame, Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/**
 * The rules of WCAG 2.2 A and AA, and of good practice, that a frame breaks, with their places. Rules for whole pages
 * do not apply to a frame.
 */
export const brokenRules = async (frame: Frame | Page): Promise<ReadonlyArray<string>> => {
  if (!(await frame.evaluate(() => "axe" in globalThis))) await frame.evaluate(axe)
  return frame.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(context: object, options: object): Promise<AxeResults> } }
    const { violations } = await axe.run(document, { iframes: false, resultTypes: ["violations"] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.any.map(({ message }) => message).join(" ")}`)
    )
  })
}
