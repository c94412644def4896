import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { describeWidget, hostPage } from "../support/describeWidget.ts"
import { KEY } from "../support/ScriptedService.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const storageOf = (widget: WidgetPage): Promise<string> =>
  widget.frame.locator("html").evaluate(() => {
    try {
      return `kept ${localStorage.length}`
    } catch {
      return "refused"
    }
  })

describeWidget("the chat", (stage) => {
  it("is saved as text by its visitor, each message with its author", async () => {
    const widget = await stage.visit()
    await widget.open()
    const save = widget.frame.getByRole("button", { name: "Save this conversation as text" })
    expect(await save.isVisible()).toBe(false)
    stage.service.answer({ kind: "text", pieces: ["**Two** years."] })
    await widget.ask("How long is the warranty?")
    await expect.poll(() => widget.reply.textContent()).toBe("Two years.")
    await save.waitFor()
    const [download] = await Promise.all([widget.page.waitForEvent("download"), save.click()])
    expect(download.suggestedFilename()).toBe("Ada of Acme.txt")
    expect(readFileSync(await download.path(), "utf8")).toBe(
      "You:\nHow long is the warranty?\n\nAda of Acme:\n**Two** years.\n"
    )
    expect(widget.complaints).toEqual([])
  })

  it("opens from its launcher, shows welcome and suggestions, and streams a reply", async () => {
    const widget = await stage.visit()
    await widget.open()
    await expect.poll(() => widget.reply.textContent()).toBe("Hello! Ask me anything about Acme.")
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    stage.service.answer({
      kind: "text",
      pieces: ["The warranty lasts ", "**two years**."],
      until: (piece) => (piece === 0 ? Promise.resolve() : held)
    })
    await widget.frame.getByRole("button", { name: "How long is the warranty?" }).click()
    await expect.poll(() => widget.reply.textContent()).toBe("The warranty lasts")
    release()
    await expect.poll(() => widget.reply.textContent()).toBe("The warranty lasts two years.")
    expect(widget.complaints).toEqual([])
  })

  it("goes on after a reload in the same conversation, as the same visitor, with its sources", async () => {
    stage.service.sources = [{ number: 1, filename: "terms.pdf", page: 2, text: "Two years." }]
    stage.service.answer({ kind: "text", pieces: ["Two years [1]."] })
    const widget = await stage.visit()
    await widget.open()
    await widget.ask("How long?")
    await widget.frame.getByRole("button", { name: "Source 1" }).click()
    await expect.poll(() => widget.frame.locator("details[open] blockquote").textContent()).toBe("Two years.")
    await widget.page.reload()
    await widget.open()
    await expect.poll(() => widget.messages.allTextContents()).toEqual(["How long?"])
    await expect.poll(() => widget.frame.getByText("terms.pdf").count()).toBe(1)
    await widget.ask("And then?")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: And then?")
    const [first, second] = stage.service.asked.slice(-2)
    expect(first?.conversationId).toBeUndefined()
    expect(second?.conversationId).toMatch(/^[\da-f-]{36}$/)
    expect(second?.visitorId).toBe(first?.visitorId)
    await widget.frame.getByRole("button", { name: "Start a new conversation" }).click()
    await expect.poll(() => widget.messages.count()).toBe(0)
    await widget.ask("Anew")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Anew")
    expect(stage.service.asked.at(-1)?.conversationId).toBeUndefined()
  })

  it("is remembered by a cookie of its own page where the browser refuses the storage of other sites", async () => {
    const tag = stage.tag().replace(stage.service.url, stage.service.trustedUrl)
    stage.site.page("/cookie", hostPage(tag))
    const widget = await stage.visit({ url: `${stage.site.foreignUrl}/cookie` })
    await widget.open()
    await widget.ask("One")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: One")
    await expect.poll(() => storageOf(widget)).toBe("refused")
    await widget.page.reload()
    await widget.open()
    await expect.poll(() => widget.messages.allTextContents()).toEqual(["One"])
    expect(widget.complaints).toEqual([])
  })

  it("remembers for as long as its page where the browser keeps nothing at all", async () => {
    stage.site.page("/foreign", hostPage(stage.tag()))
    const widget = await stage.visit({ url: `${stage.site.foreignUrl}/foreign` })
    await widget.open()
    expect(await storageOf(widget)).toBe("refused")
    for (const text of ["One", "Two"]) {
      await widget.ask(text)
      await expect.poll(() => widget.reply.textContent()).toBe(`You said: ${text}`)
    }
    const [one, two] = stage.service.asked.slice(-2)
    expect(two?.visitorId).toBe(one?.visitorId)
    expect(two?.conversationId).toBeDefined()
    expect(widget.complaints).toEqual([])
  })

  it("begins a new conversation where its own is gone, without a word lost", async () => {
    const widget = await stage.visit()
    await widget.open()
    await widget.ask("One")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: One")
    stage.service.answer({ kind: "problem", status: 404, code: "conversation_not_found" })
    await widget.ask("Two")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Two")
    expect(stage.service.asked.slice(-2).map(({ conversationId }) => conversationId === undefined)).toEqual([
      false,
      true
    ])
  })

  it("says how long to wait at a limit, counts down, and then sends the same message", async () => {
    const widget = await stage.visit({ alone: true })
    await widget.page.clock.install()
    await widget.page.reload()
    await widget.page.clock.runFor(1_000)
    await widget.open()
    stage.service.answer({ kind: "problem", status: 429, code: "too_many_requests", retryAfter: "90" })
    await widget.ask("Once more")
    // The page's clock also runs by itself.
    const left = async () =>
      Number(/You can go on in (\d+) seconds\./.exec((await widget.obstacle.textContent()) ?? "")?.[1])
    await expect.poll(left).toBeGreaterThan(60)
    expect(await left()).toBeLessThanOrEqual(90)
    await screenshot(widget.page, "limit")
    expect(await widget.frame.locator(".unsent").textContent()).toContain("Once more")
    expect(await widget.frame.getByRole("button", { name: "Send" }).getAttribute("aria-disabled")).toBe("true")
    await widget.page.clock.runFor(30_000)
    await expect.poll(left).toBeLessThanOrEqual(60)
    await widget.page.clock.runFor(60_000)
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await widget.page.clock.runFor(1_000)
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Once more")
    await expect.poll(() => widget.obstacle.isVisible()).toBe(false)
  })

  it.each([
    ["a limit that ends on the next day by that day", "2026-03-03T10:00:00", 14 * 3_600, "You can go on tomorrow."],
    ["one that ends on the same day by the hours", "2026-03-03T10:00:00", 5 * 3_600, "You can go on in 5 hours."],
    [
      "one that ends soon, on the next day, by the minutes",
      "2026-03-03T23:30:00",
      1_800,
      "You can go on in 30 minutes."
    ]
  ])("names %s", async (_name, time, seconds, words) => {
    const widget = await stage.visit({ alone: true })
    await widget.page.clock.install({ time: new Date(time) })
    await widget.page.reload()
    await widget.page.clock.runFor(1_000)
    await widget.open()
    stage.service.answer({ kind: "problem", status: 429, code: "bot_resting", retryAfter: String(seconds) })
    await widget.ask("One more")
    await expect.poll(() => widget.obstacle.textContent()).toContain(words)
  })

  it("shows a decline as the bot's own words", async () => {
    stage.service.answer({ kind: "text", pieces: ["I cannot answer at the moment. Write to help@acme.test."] })
    const widget = await stage.visit()
    await widget.open()
    await widget.ask("Hello?")
    await expect.poll(() => widget.reply.textContent()).toContain("I cannot answer at the moment.")
    expect(await widget.obstacle.isVisible()).toBe(false)
  })

  it("keeps a message while the service is down, and sends it when it is back", async () => {
    const widget = await stage.visit()
    await widget.open()
    stage.service.isDown = true
    await widget.ask("Are you there?")
    await expect.poll(() => widget.obstacle.textContent()).toContain("cannot be reached")
    await screenshot(widget.page, "down")
    stage.service.isDown = false
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Are you there?")
    expect(await widget.messages.count()).toBe(1)
  })

  it("says that a reply broke off, and asks again", async () => {
    const widget = await stage.visit()
    await widget.open()
    let release = () => {}
    const read = new Promise<void>((resolve) => (release = resolve))
    const until = (piece: number) => (piece < 2 ? Promise.resolve() : read)
    stage.service.answer({ kind: "cut", pieces: ["Half of ", "it"], until })
    await widget.ask("All of it?")
    await expect.poll(() => widget.reply.textContent()).toBe("Half of it")
    release()
    await expect.poll(() => widget.obstacle.textContent()).toContain("broke off")
    expect(await widget.reply.textContent()).toBe("Half of it")
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await expect.poll(() => widget.reply.textContent()).toBe("You said: All of it?")
    expect(await widget.replies.count()).toBe(2)
  })

  it("says that something failed, and that a message is too long", async () => {
    const widget = await stage.visit()
    await widget.open()
    stage.service.answer(
      { kind: "problem", status: 500, code: "model_failed" },
      { kind: "problem", status: 413, code: "payload_too_large" }
    )
    await widget.ask("One")
    await expect.poll(() => widget.obstacle.textContent()).toContain("Something went wrong on our side")
    await widget.frame.getByRole("button", { name: "Try again" }).click()
    await expect.poll(() => widget.obstacle.textContent()).toContain("too long")
    // It returns to the input, so that the visitor can shorten it.
    expect(await widget.field.inputValue()).toBe("One")
    expect(await widget.messages.count()).toBe(0)
  })

  it("stops a reply when its reader wants no more of it", async () => {
    const widget = await stage.visit()
    await widget.open()
    stage.service.answer({
      kind: "text",
      pieces: ["On and ", "on"],
      until: (piece) => (piece === 0 ? Promise.resolve() : new Promise(() => {}))
    })
    await widget.ask("Tell me everything")
    await expect.poll(() => widget.reply.textContent()).toBe("On and")
    await widget.frame.getByRole("button", { name: "Stop the reply" }).click()
    await widget.frame.getByText("You stopped this reply.").waitFor()
    await widget.ask("Enough")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Enough")
  })

  it("ends for visitors when its bot is switched off", async () => {
    const widget = await stage.visit()
    await widget.open()
    stage.service.answer({ kind: "problem", status: 404, code: "bot_not_found" })
    await widget.ask("Hello?")
    await expect.poll(() => widget.obstacle.textContent()).toContain("not available any more")
    stage.service.configure(KEY, undefined)
    const refused = widget.page.waitForResponse(/\/api\/widget\/config\//)
    await widget.page.reload()
    expect((await refused).status()).toBe(404)
    await expect.poll(() => widget.page.frames().length).toBe(1)
    expect(await widget.launcher.count()).toBe(0)
  })

  it("is used with the keyboard alone: opened, asked, read, closed, and the focus is back", async () => {
    stage.service.sources = [{ number: 1, filename: "terms.pdf", page: 2, text: "Two years." }]
    stage.service.answer({ kind: "text", pieces: ["Two years [1], see [the terms](https://acme.test/terms)."] })
    const widget = await stage.visit()
    await widget.launcher.waitFor()
    const { keyboard } = widget.page
    const focused = () =>
      widget.frame.locator("html").evaluate(() => {
        const { activeElement } = document
        return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent ?? ""
      })
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    expect(await widget.launcher.evaluate((each) => (each.getRootNode() as ShadowRoot).activeElement === each)).toBe(
      true
    )
    await keyboard.press("Enter")
    await expect.poll(focused).toBe("Your message")
    await keyboard.type("How long?")
    await keyboard.press("Enter")
    await widget.frame.getByRole("button", { name: "Source 1" }).waitFor()
    // Backwards from the field, in the order of the page.
    const order: Array<string> = []
    for (let step = 0; step < 6; step += 1) {
      await keyboard.press("Shift+Tab")
      order.push(await focused())
    }
    expect(order).toEqual(
      ["1terms.pdfpage 2", "the terms", "Source 1", "Conversation", "Close chat", "Start a new conversation"].map(
        (each) => expect.stringContaining(each)
      )
    )
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await widget.frame.getByRole("dialog", { name: "Open this link?" }).waitFor()
    await screenshot(widget.page, "link")
    expect(await widget.frame.locator(".address").textContent()).toBe("https://acme.test/terms")
    await keyboard.press("Escape")
    await expect.poll(focused).toBe("the terms")
    await keyboard.press("Escape")
    await expect.poll(() => widget.launcher.getAttribute("aria-expanded")).toBe("false")
    expect(await widget.launcher.evaluate((each) => (each.getRootNode() as ShadowRoot).activeElement === each)).toBe(
      true
    )
  })

  it("says replies to people who listen, part by part, once", async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    stage.service.answer({
      kind: "text",
      pieces: ["First **part**.\n\nSecond ", "part.\n\n| month | rent |\n|---|---|\n| May | 1,450 |"],
      until: (piece) => (piece === 0 ? Promise.resolve() : held)
    })
    const widget = await stage.visit()
    await widget.open()
    await widget.ask("Parts?")
    const status = widget.frame.locator(".unseen[role=status] p")
    await expect.poll(() => status.allTextContents()).toEqual(["Ada of Acme is writing", "First part."])
    release()
    await expect
      .poll(() => status.allTextContents())
      .toEqual(["First part.", "Second part.", "month\trent\nMay\t1,450"])
    stage.service.answer({ kind: "problem", status: 500, code: "internal" })
    await widget.ask("And now?")
    await expect
      .poll(() => status.allTextContents())
      .toEqual(["Something went wrong on our side. Try again in a moment."])
  })

  it("fills a phone, leaves the keyboard its room, and does not jump up on its own", async () => {
    const widget = await stage.visit({
      viewport: { width: 390, height: 760 },
      isMobile: true,
      hasTouch: true,
      prepare: async (context) => {
        await context.addInitScript(() => {
          // Stands in for the keyboard of a phone, which no test can open.
          const view = Object.assign(new EventTarget(), { height: 760, offsetTop: 0, scale: 1 })
          Object.defineProperty(globalThis, "visualViewport", { value: view })
        })
      }
    })
    await widget.launcher.tap()
    await widget.field.waitFor()
    expect(await widget.field.evaluate((each) => each === document.activeElement)).toBe(false)
    await expect.poll(() => widget.panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 760 })
    await widget.page.evaluate(() => {
      Object.assign(visualViewport!, { height: 420, offsetTop: 30 })
      visualViewport!.dispatchEvent(new Event("resize"))
    })
    await expect.poll(() => widget.panel.boundingBox()).toEqual({ x: 0, y: 30, width: 390, height: 420 })
    // Nothing behind it can be reached.
    expect(await widget.panel.evaluate((each) => each.matches(":modal"))).toBe(true)
    await widget.frame.getByRole("button", { name: "Close chat" }).tap()
    await expect.poll(() => widget.panel.isVisible()).toBe(false)
  })

  it("marks its launcher where a reply came while it was closed", async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    stage.service.answer({ kind: "text", pieces: ["Late."], until: () => held })
    const widget = await stage.visit()
    await widget.open()
    await widget.ask("When?")
    await widget.field.press("Escape")
    await expect.poll(() => widget.panel.isVisible()).toBe(false)
    release()
    await expect.poll(() => widget.launcher.getAttribute("aria-label")).toBe("Chat with Ada of Acme, new reply")
    await widget.open()
    expect(await widget.launcher.getAttribute("aria-label")).toBe("Chat with Ada of Acme")
  })

  it("is a page of its own for who goes to its address", async () => {
    const { page } = await stage.visit({ url: `${stage.service.url}/widget/${KEY}` })
    await page.getByLabel("Your message").fill("Alone?")
    await page.keyboard.press("Enter")
    await page.getByRole("log").getByText("You said: Alone?").waitFor()
    expect(await page.getByRole("button", { name: "Close chat" }).count()).toBe(0)
  })
})
