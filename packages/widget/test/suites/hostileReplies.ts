import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { hostileReplies } from "../../../../test/support/hostileReplies.ts"
import { describeWidget, type Stage } from "../support/describeWidget.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

/** Texts that would break out of this chat if any of them were parsed as HTML or styles. */
const here = [
  "</style><script>globalThis.hit = 1</script>",
  "</div></main></body><style>header { display: none }</style>",
  "x</p><iframe src=//evil.test></iframe>",
  "[Close chat](javascript:parent.postMessage({parley:1,type:'absent'},'*'))",
  "[**![a](https://evil.test/a.png)**](https://evil.test/b)",
  "[one](https://evil.test/1) [two](https://evil.test/2) <https://evil.test/3> https://evil.test/4",
  "| a |\n|---|\n| ![x](https://evil.test/in-table.png) <img src=https://evil.test/raw.png> |",
  "[1](https://evil.test/1)[1][2, 3][999]"
]

const corpus = [...hostileReplies.filter((text) => text.trim() !== ""), ...here]
const SEED = 20_011

/** Each reply whole, and once more cut somewhere. */
const shown = corpus.flatMap((text, index) => [text, text.slice(0, 1 + ((index * SEED) % text.length))])

/** Records a page's requests to other hosts, and the scripts that ran or were blocked. */
const watch = async (stage: Stage, widget: WidgetPage) => {
  const ours = new Set([stage.service.url, stage.site.url].map((url) => new URL(url).host))
  const elsewhere: Array<string> = []
  widget.page.on("request", (request) => {
    if (!ours.has(new URL(request.url()).host)) elsewhere.push(request.url())
  })
  widget.page.on("dialog", (dialog) => {
    elsewhere.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  return elsewhere
}

const chatOf = (page: Page) => page.frames()[1]!

const FOREIGN =
  "img, script, iframe, object, embed, style, link, form, video, audio, base, meta, a, svg, input, [style]"

describeWidget("hostile replies", (stage) => {
  it("load nothing from elsewhere, run nothing and break no layout, whole or cut", async () => {
    const widget = await stage.visit({ viewport: { width: 375, height: 740 } })
    const elsewhere = await watch(stage, widget)
    await widget.open()
    await widget.ask("Tell me.")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Tell me.")
    stage.service.retell(shown)
    await widget.page.reload()
    await widget.open()
    await expect.poll(() => widget.replies.count()).toBe(1 + shown.length)
    const found = await chatOf(widget.page).evaluate((foreign) => {
      const covers = ["fixed", "absolute", "sticky"]
      const replies = [...document.querySelectorAll(".message.bot")]
      return {
        hit: "hit" in globalThis,
        foreign: [...document.querySelectorAll(`.markdown :is(${foreign})`)].map((each) => each.outerHTML),
        broken: replies.flatMap((reply) => {
          const box = reply.getBoundingClientRect()
          const covering = [...reply.querySelectorAll(".markdown *")].some((each) =>
            covers.includes(getComputedStyle(each).position)
          )
          return box.right > innerWidth + 1 || reply.scrollWidth > reply.clientWidth + 1 || covering
            ? [reply.textContent?.slice(0, 80)]
            : []
        }),
        links: document.querySelectorAll(".markdown button.link").length,
        headers: document.querySelectorAll("header:not([hidden])").length,
        title: document.title
      }
    }, FOREIGN)
    expect(found).toEqual({
      hit: false,
      foreign: [],
      broken: [],
      links: expect.any(Number),
      headers: 1,
      title: "Chat with Ada of Acme"
    })
    expect(found.links).toBeGreaterThan(20)
    await screenshot(widget.page, "hostile")

    // Every link asks, leads only to http, https and mailboxes, and only after the visitor has agreed.
    const addresses = await chatOf(widget.page).evaluate(() => {
      // Each dialog changes the layout of the page.
      for (const message of document.querySelectorAll<HTMLElement>(".message")) message.style.display = "none"
      return [...document.querySelectorAll<HTMLButtonElement>(".markdown button.link")].map((link) => {
        link.click()
        const dialog = document.querySelector("dialog")
        const open = dialog?.querySelector("a")
        const { href, rel, target } = open!
        dialog?.close()
        return { href, rel, target, asked: dialog !== null }
      })
    })
    for (const { href, ...rest } of addresses) {
      expect(href).toMatch(/^(https?:\/\/[^@]*$|mailto:)/)
      expect(rest).toEqual({ rel: "noopener noreferrer", target: "_blank", asked: true })
    }
    expect(elsewhere).toEqual([])
    expect(widget.complaints).toEqual([])
  })

  it("are harmless while they are written, in pieces of any size", async () => {
    const text = corpus.join("\n\n")
    const pieces: Array<string> = []
    for (let at = 0, step = SEED; at < text.length; step = (step * 48_271) % 2_147_483_647) {
      pieces.push(text.slice(at, at + 1 + (step % 60)))
      at += 1 + (step % 60)
    }
    const widget = await stage.visit()
    const elsewhere = await watch(stage, widget)
    stage.service.answer({ kind: "text", pieces, until: () => new Promise((resolve) => setImmediate(resolve)) })
    await widget.open()
    await widget.ask("Tell me.")
    await widget.frame.locator(".bot:not(.writing) .markdown").nth(1).waitFor()
    expect(await chatOf(widget.page).evaluate(() => "hit" in globalThis)).toBe(false)
    expect(await widget.frame.locator(`.markdown :is(${FOREIGN})`).count()).toBe(0)
    expect(elsewhere).toEqual([])
    expect(widget.complaints).toEqual([])
  })
})
