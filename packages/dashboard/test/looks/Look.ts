import type { BrowserContextOptions, Page } from "playwright-core"
import { expect } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"

/** An appearance of a page. */
export interface Look {
  readonly name: string
  readonly options: BrowserContextOptions
}

export const LIGHT: Look = { name: "light", options: {} }
export const PHONE_DARK: Look = {
  name: "phone-dark",
  options: { colorScheme: "dark", viewport: { width: 375, height: 740 }, hasTouch: true }
}

/** The ways that only the long tests look at all pages in; every run sees each page in one of the first two. */
export const FURTHER_LOOKS: ReadonlyArray<Look> = [
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "phone", options: { viewport: { width: 375, height: 740 }, hasTouch: true } },
  // As a window of 1280 pixels is at twice the size.
  { name: "zoomed", options: { colorScheme: "dark", viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } }
]

/** Fails if the page breaks a rule of accessibility, or scrolls as a whole. */
export const checkLook = async (page: Page, { name }: Look, state: string): Promise<void> => {
  await screenshot(page, `${name}-${state}`)
  expect(await brokenRules(page), state).toEqual([])
  expect(await overflowOf(page), state).toBeLessThanOrEqual(0)
}
