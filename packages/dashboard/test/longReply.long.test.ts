import { expect, it } from "vitest"
import { describeInChromium } from "./support/describeInChromium.ts"
import { ReplyServer } from "./support/ReplyServer.ts"

const CHAT = "3f0c9a1e-0000-4000-8000-0000000000aa"
const TOKENS = 20_000
/** A thousand tokens a second: several times the speed of models. */
const EVERY_MS = 1

const SECTION = [
  "## Section of the report\n\n",
  "The **harbour** lies in the north, and its `cranes` are inspected every spring, as [the rules](https://example.org) ask. ",
  "Either party may end the lease with a notice of ninety days to the end of a month.\n\n",
  "- first the *roof*\n- then the walls\n  - and the doors\n\n",
  "| month | rent | paid |\n|---|--:|---|\n| May | 1,450 | yes |\n| June | 1,450 | no |\n\n",
  "```ts\nconst rent = (months: number) => months * 1_450\n```\n\n",
  "> A lease that is not ended goes on for another year.\n\n"
].join("")

/** Markdown of all kinds in pieces of a token's length, about four characters. */
const piecesOf = (tokens: number): ReadonlyArray<string> => {
  const text = SECTION.repeat(Math.ceil((tokens * 4) / SECTION.length)).slice(0, tokens * 4)
  return text.match(/[\s\S]{1,4}/g) ?? []
}

interface Seen {
  readonly frames: ReadonlyArray<number>
  readonly longTasks: ReadonlyArray<number>
}

describeInChromium("a reply of 20,000 tokens", {}, (stage) => {
  it("is drawn while it is written, without the page standing still", { timeout: 300_000 }, async () => {
    await using replies = new ReplyServer(stage.server.url, CHAT, piecesOf(TOKENS), EVERY_MS)
    const dashboard = await stage.open({ viewport: { width: 1280, height: 800 } }, await replies.start())
    const { page } = dashboard
    await dashboard.signIn("long@example.org")
    await page.evaluate(() => {
      const seen = { frames: [] as Array<number>, longTasks: [] as Array<number> }
      Object.assign(globalThis, { seen })
      let last = performance.now()
      const onFrame = (now: number) => {
        seen.frames.push(now - last)
        last = now
        requestAnimationFrame(onFrame)
      }
      requestAnimationFrame(onFrame)
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longTasks.push(duration)
      }).observe({ type: "longtask" })
    })
    await dashboard.ask("Write a long report.")
    await page.locator('[data-state="writing"]').waitFor()
    await page.locator('[data-state="writing"]').waitFor({ state: "detached", timeout: 200_000 })
    const { frames, longTasks } = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen)
    const sorted = frames.toSorted((one, other) => one - other)
    const at = (part: number) => Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10
    const longest = Math.round(Math.max(0, ...longTasks))
    process.stdout.write(
      `${frames.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms; ` +
        `${longTasks.length} tasks over 50 ms, the longest ${longest} ms\n`
    )
    const text = (await dashboard.words.textContent()) ?? ""
    expect(text.length).toBeGreaterThan(TOKENS * 3)
    // Half of the frames come at the screen's rate, even on a busy machine.
    expect(at(0.5)).toBeLessThan(34)
  })
})
