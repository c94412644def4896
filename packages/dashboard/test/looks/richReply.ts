import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"
import type { WindowLook } from "./WindowLook.ts"

const CHAT = "3f0c9a1e-0000-4000-8000-000000000001"
const now = new Date().toISOString()

const RICH = `Storks fly south.[^1] A function:

\`\`\`ts
// Days until a stork returns.
const days = (from: Date): number => Math.ceil((Date.UTC(2027, 2, 1) - from.getTime()) / 86_400_000)
const name = "stork"
\`\`\`

\`\`\`mermaid
graph LR
  A[Germany] --> B[Spain] --> C[Mali]
\`\`\`

- [x] Packed
- [ ] Flown

| Month | Place | Temperature | Distance from here | Other birds that pass | Remarks of the ranger |
| --- | --- | ---: | ---: | --- | --- |
| September | Gibraltar | 24 | 2,300 | Kites, swifts | Crossing at noon |

[^1]: Most of them, to **Mali**.
`

const BROKEN = "```mermaid\ngraph LR\n  A[ --> \n```\n"

/** It would call the page, the server and another one if a diagram could. */
const HOSTILE = `\`\`\`mermaid
graph LR
  A["<img src=https://evil.invalid/x onerror='parent.hit=1;top.location=\`https://evil.invalid\`;fetch(\`/api/me\`)'>"] --> B
  click A href "javascript:parent.hit=1"
\`\`\`
`

const messages = [RICH, BROKEN, HOSTILE].map((content, index) => ({
  id: `3f0c9a1e-0000-4000-8000-00000000010${index}`,
  parentId: null,
  role: "assistant",
  content,
  state: "complete",
  model: "model-a-mini",
  credits: 1,
  receipt: null,
  rating: null,
  sources: [],
  unread: [],
  createdAt: now
}))

/** A reply with everything in it is read, in each of these appearances. */
export const richReply = (stage: Stage, looks: ReadonlyArray<WindowLook>): void => {
  it.each(looks)(
    "is read with colours and drawings, and a diagram reaches nothing, at $width px in $colorScheme",
    async ({ colorScheme, width }) => {
      const options = { viewport: { width, height: 1000 }, colorScheme }
      const dashboard = await stage.openAs(`reader-${width}@example.org`, { path: "/settings", options })
      const { page } = dashboard
      const asked: Array<string> = []
      page.on("requestfinished", (request) =>
        asked.push(`${request.frame() === page.mainFrame() ? "page" : "frame"} ${request.url()}`)
      )
      const chat = {
        id: CHAT,
        title: "Rich",
        createdAt: now,
        updatedAt: now,
        documentIds: [],
        running: null,
        share: null
      }
      await page.route(`**/api/chats/${CHAT}`, (route) =>
        route.fulfill({ json: { ...chat, messages, limit: 500, nextBefore: null } })
      )
      await page.goto(`/chats/${CHAT}`)
      const [rich, broken] = [0, 1].map((place) => page.locator("[data-markdown]").nth(place))
      await rich?.locator(".hljs-comment").waitFor()
      expect(await rich?.locator(".hljs-keyword").first().textContent()).toBe("const")
      const drawn = rich?.frameLocator("iframe[title=Diagram]").locator("svg")
      await drawn?.getByText("Mali").waitFor()
      // A text that is no diagram is shown as it is.
      await broken?.locator("pre").getByText("graph LR").waitFor()
      await rich?.getByRole("button", { name: "Note 1", exact: true }).click()
      const note = rich?.getByRole("button", { name: "Back to the mark of note 1" })
      await expect.poll(() => note?.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `rich-reply-end-${width}`)
      await page
        .locator("[data-scrolls], [data-markdown]")
        .first()
        .evaluate((element) => element.scrollIntoView())
      await rich?.locator("pre").first().scrollIntoViewIfNeeded()
      await screenshot(page, `rich-reply-${width}`)
      await rich?.getByRole("button", { name: "Show the code" }).click()
      await rich?.locator("pre").getByText("A[Germany]").waitFor()
      // The hostile diagram is drawn, with what its policy leaves of it.
      const hostile = page.locator("[data-markdown]").nth(2).frameLocator("iframe[title=Diagram]")
      await hostile.locator("svg").waitFor()
      expect(await page.evaluate(() => "hit" in globalThis)).toBe(false)
      const byFrames = asked.filter((each) => each.startsWith("frame")).map((each) => new URL(each.slice(6)).pathname)
      expect(new Set(byFrames)).toEqual(
        new Set(["/diagram/frame.html", "/diagram/frame.css", "/diagram/mermaid.js", "/diagram/frame.js"])
      )
      // The frame's policy refuses the image and the handler of the hostile diagram.
      expect(dashboard.complaintsBut(/img-src data:|inline event handler/)).toEqual([])
    }
  )
}
