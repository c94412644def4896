import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { CHOSEN, chosenOnPhone } from "../looks/chosenOnPhone.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { describeWidget, hostPage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const OTHER_KEY = "pk_zyxwvtsrqpnmkjhgfedcba9876543210"
const styleOf = (widget: WidgetPage, selector: string, property: string) =>
  widget.frame.locator(selector).evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)

const launcherStyle = (widget: WidgetPage, property: string) =>
  widget.launcher.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)

describeWidget("the look that a bot's owner chose", (stage) => {
  it("holds for the launcher, the panel and the chat", async () => {
    stage.service.configure(KEY, CHOSEN)
    const widget = await stage.visit()
    await widget.launcher.waitFor()
    const { x, width } = (await widget.launcher.boundingBox())!
    expect(x).toBe(20)
    expect(width).toBeGreaterThan(60)
    expect(await widget.launcher.textContent()).toBe("Ask us")
    // Its name begins with the words that are seen.
    expect(await widget.launcher.getAttribute("aria-label")).toBe("Ask us, Chat with Ada of Acme")
    expect(await launcherStyle(widget, "border-radius")).toBe("0px")
    expect(await launcherStyle(widget, "font-family")).toContain("Georgia")
    await screenshot(widget.page, "appearance-launcher")
    await widget.open()
    expect((await widget.panel.boundingBox())?.x).toBe(20)
    expect(await widget.panel.evaluate((panel) => getComputedStyle(panel).borderRadius)).toBe("0px")
    expect(await styleOf(widget, ".message.bot .bubble", "border-radius")).toBe("0px")
    expect(await styleOf(widget, "body", "font-family")).toContain("Georgia")
    expect(await widget.frame.locator("html").getAttribute("data-theme")).toBe("dark")
    await screenshot(widget.page, "appearance-chosen")
    for (const frame of widget.page.frames()) expect(await brokenRules(frame)).toEqual([])
    expect(widget.complaints).toEqual([])
  })

  it("gives way to the side and the theme that the page chooses", async () => {
    stage.service.configure(KEY, CHOSEN)
    const widget = await stage.visit({ attributes: 'data-position="right" data-theme="light"' })
    await widget.open()
    expect((await widget.launcher.boundingBox())?.x).toBeGreaterThan(600)
    expect(await widget.frame.locator("html").getAttribute("data-theme")).toBe("light")
  })

  it("is as it always was if the server does not know the settings, or a value is unknown", async () => {
    stage.service.configure(KEY, { ...CONFIG, position: "top", font: "url(x)", cornerRadius: "9px", colorScheme: 7 })
    const widget = await stage.visit()
    await widget.launcher.waitFor()
    const { height, width, x } = (await widget.launcher.boundingBox())!
    await widget.open()
    expect([width, height]).toEqual([60, 60])
    expect(x).toBeGreaterThan(600)
    expect(await launcherStyle(widget, "border-radius")).toBe("30.6px")
    expect(await styleOf(widget, "body", "font-family")).toContain("system-ui")
    expect(await widget.frame.locator("html").getAttribute("data-theme")).toBe("auto")
  })

  it("leaves room for the launcher of another bot, however long its words are", async () => {
    stage.service.configure(KEY, { ...CONFIG, launcherText: "Ask us anything, any time" })
    stage.service.configure(OTHER_KEY, { ...CONFIG, displayName: "Bob", launcherText: "Or ask Bob" })
    const widget = await stage.visit({
      url: stage.site.page("/wide", hostPage(stage.tag() + stage.tag("", OTHER_KEY)))
    })
    const boxes = await Promise.all(
      ["Ada of Acme", "Bob"].map(async (name) => {
        const launcher = widget.page.getByRole("button", { name: `Chat with ${name}` })
        await launcher.waitFor()
        return (await launcher.boundingBox())!
      })
    )
    const [left, right] = boxes.toSorted((one, other) => one.x - other.x)
    expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x - 15)
  })

  chosenOnPhone(stage, ["dark"])
})
