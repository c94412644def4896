import { afterAll, beforeAll, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { makeInMemoryVisitorChallenge } from "../../../core/src/adapter.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { describeWidget, hostPage, type VisitOptions } from "../support/describeWidget.ts"
import { KEY, ScriptedService } from "../support/ScriptedService.ts"
import { refuseTurnstile, serveTurnstile, TURNSTILE } from "../support/turnstileRoutes.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const REQUIRED = {
  kind: "problem",
  status: 403,
  code: "visitor_challenge_required",
  challenge: { kind: "turnstile", siteKey: "site-key" }
} as const

/** A page that loads only resources that allow other sites. */
const ISOLATED = { "cross-origin-embedder-policy": "require-corp" }

describeWidget("a challenge", (stage) => {
  // The policy of the frame depends on whether its server has a challenge.
  let service: ScriptedService
  beforeAll(async () => {
    service = await ScriptedService.start({ challenge: { ...makeInMemoryVisitorChallenge(), origin: TURNSTILE } })
  })
  afterAll(() => service.stop())

  const visit = async (attributes = "", options: VisitOptions = {}): Promise<WidgetPage> => {
    service.reset()
    const tag = `<script async src="${service.url}/widget.js" data-public-key="${KEY}" ${attributes}></script>`
    return stage.visit({ url: stage.site.page("/challenged", hostPage(tag), ISOLATED), alone: true, ...options })
  }
  const frameOf = (widget: WidgetPage) => widget.frame.locator(".challenge iframe")
  const challengeOf = (widget: WidgetPage) => widget.frame.frameLocator(".challenge iframe")
  const asked = (count: number) =>
    service.asked.slice(-count).map(({ challengeToken, message }) => [message, challengeToken])

  it("is shown, and once it is solved the message that needed it is sent with its token", async () => {
    const widget = await visit('data-theme="dark"')
    await serveTurnstile(widget.page)
    await widget.open()
    service.answer(REQUIRED)
    await widget.ask("How long?")
    const box = challengeOf(widget).getByRole("checkbox")
    await box.waitFor()
    await screenshot(widget.page, "challenge")
    expect(await widget.obstacle.textContent()).toContain("Please show that you are a person.")
    const parameters = JSON.parse((await frameOf(widget).getAttribute("data-parameters")) ?? "") as object
    expect(parameters).toMatchObject({ sitekey: "site-key", theme: "dark", language: "en", size: "flexible" })
    // The content of the challenge's own frame is its provider's.
    const frames = widget.page.frames().filter((frame) => !frame.url().startsWith(TURNSTILE))
    for (const frame of frames) expect(await brokenRules(frame)).toEqual([])
    // The next message does not replace the waiting one, and stays in the input.
    await widget.ask("And the price?")
    expect(await widget.messages.allTextContents()).toEqual(["How long?"])
    expect(await widget.field.inputValue()).toBe("And the price?")
    await box.click()
    await expect.poll(() => widget.reply.textContent()).toBe("You said: How long?")
    expect(asked(2)).toEqual([
      ["How long?", undefined],
      ["How long?", "token-1"]
    ])
    await expect.poll(() => widget.obstacle.isVisible()).toBe(false)
    expect(await frameOf(widget).count()).toBe(0)
    // The refused request, and nothing that the frame's policy forbids.
    expect(widget.complaints).toEqual([expect.stringContaining("status of 403")])
  })

  it("that is solved and not taken is not shown again by itself", async () => {
    const widget = await visit()
    await serveTurnstile(widget.page)
    await widget.open()
    service.answer(REQUIRED, REQUIRED, REQUIRED)
    await widget.ask("Hello?")
    await challengeOf(widget).getByRole("checkbox").click()
    await expect.poll(() => widget.obstacle.textContent()).toContain("could not be checked")
    expect(asked(1)).toEqual([["Hello?", "token-1"]])
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await challengeOf(widget).getByRole("checkbox").click()
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Hello?")
    expect(asked(2)).toEqual([
      ["Hello?", undefined],
      ["Hello?", "token-2"]
    ])
  })

  it("that cannot be loaded, or is not passed, keeps the message and is tried again", async () => {
    const widget = await visit()
    await refuseTurnstile(widget.page)
    await widget.open()
    service.answer(REQUIRED, REQUIRED, REQUIRED)
    await widget.ask("Hello?")
    await expect.poll(() => widget.obstacle.textContent()).toContain("could not be checked")
    expect(await widget.frame.locator(".unsent").textContent()).toContain("Hello?")
    await serveTurnstile(widget.page)
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await challengeOf(widget).getByRole("button", { name: "Fail" }).click()
    await expect.poll(() => widget.obstacle.textContent()).toContain("could not be checked")
    expect(await frameOf(widget).count()).toBe(0)
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await challengeOf(widget).getByRole("checkbox").click()
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Hello?")
    expect(await widget.messages.count()).toBe(1)
  })

  it("fits a narrow screen", async () => {
    const widget = await visit("", { viewport: { width: 320, height: 560 } })
    await serveTurnstile(widget.page)
    await widget.open()
    service.answer(REQUIRED)
    await widget.ask("How long?")
    await challengeOf(widget).getByRole("checkbox").waitFor()
    await screenshot(widget.page, "challenge-narrow")
    const parameters = JSON.parse((await frameOf(widget).getAttribute("data-parameters")) ?? "") as object
    expect(parameters).toMatchObject({ size: "compact", theme: "auto" })
    for (const frame of widget.page.frames()) {
      expect(await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
  })
})
