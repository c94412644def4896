import type { Page } from "playwright-core"

/** Begins to note the length of the reply's text at each change; the function it gives tells the lengths noted. */
export const recordGrowth = async (page: Page): Promise<() => Promise<ReadonlyArray<number>>> => {
  const lengths = await page.evaluateHandle(() => {
    const noted: Array<number> = []
    new MutationObserver(() => {
      const length = document.querySelector(".writing .words")?.textContent?.length ?? 0
      if (length > (noted.at(-1) ?? 0)) noted.push(length)
    }).observe(document.body, { subtree: true, characterData: true, childList: true })
    return noted
  })
  return () => lengths.jsonValue()
}
