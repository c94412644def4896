import type { BrowserContext, Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeWidget, hostPage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"

const OTHER_KEY = "pk_zyxwvtsrqpnmkjhgfedcba9876543210"
const STRICT = "default-src 'self'"

/** Records the browser's reports of blocked actions, and the shift of the page's content. */
const watch = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const seen = { forbidden: [] as Array<string>, shifted: 0 }
    Object.assign(globalThis, { seen })
    addEventListener("securitypolicyviolation", (event) =>
      seen.forbidden.push(`${event.violatedDirective} ${event.blockedURI}`)
    )
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shifted += (entry as unknown as { readonly value: number }).value
    }).observe({ type: "layout-shift", buffered: true })
  })
}

const seenBy = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { seen: { forbidden: ReadonlyArray<string>; shifted: number } }).seen)

describeWidget("a page that embeds a bot", (stage) => {
  it("needs to allow script and frame of our origin and nothing else, and nothing in it moves", async () => {
    const { origin } = new URL(stage.service.url)
    const policy = `${STRICT}; script-src 'self' ${origin}; frame-src ${origin}; require-trusted-types-for 'script'`
    const queue = stage.site.page(
      "/queue.js",
      "window.Parley = window.Parley || function () { (Parley.q = Parley.q || []).push(arguments) }"
    )
    const url = stage.site.page("/strict", hostPage(`<script src="${queue}"></script>${stage.tag()}`), {
      "content-security-policy": policy
    })
    const widget = await stage.visit({
      prepare: async (context) => void context.on("page", (page) => void watch(page)),
      url
    })
    await widget.open()
    await widget.ask("Does it work?")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: Does it work?")
    await widget.field.press("Escape")
    await expect.poll(() => widget.panel.isVisible()).toBe(false)
    expect(await seenBy(widget.page)).toEqual({ forbidden: [], shifted: 0 })
    expect(widget.complaints).toEqual([])
    // A blocked style would be visible.
    await widget.page.evaluate(() => document.body.setAttribute("style", "margin-top: 9px"))
    await expect.poll(async () => (await seenBy(widget.page)).forbidden).toEqual(["style-src-attr inline"])
    await widget.page.evaluate(() => (document.body.style.marginTop = "90px"))
    await expect.poll(async () => (await seenBy(widget.page)).shifted).toBeGreaterThan(0)
  })

  it("shows nothing of a bot that is not there, and keeps nothing of it", async () => {
    const answered: Array<number> = []
    const url = stage.site.page("/none", hostPage(stage.tag("", "pk_none")))
    const prepare = async (context: BrowserContext) =>
      void context.on("response", (response) => {
        if (response.url().includes("/config/")) answered.push(response.status())
      })
    const widget = await stage.visit({ url, prepare })
    await expect.poll(() => answered).toEqual([404])
    await expect.poll(() => widget.page.frames().length).toBe(1)
    expect(await widget.page.evaluate(() => document.body.lastElementChild?.tagName)).toBe("SCRIPT")
  })

  it("has several bots side by side, of which one is open", async () => {
    stage.service.configure(OTHER_KEY, { ...CONFIG, displayName: "Bob", primaryColor: "#ffd43b" })
    const url = stage.site.page("/two", hostPage(stage.tag() + stage.tag("", OTHER_KEY)))
    const widget = await stage.visit({ url })
    const [ada, bob] = ["Ada of Acme", "Bob"].map((name) =>
      widget.page.getByRole("button", { name: `Chat with ${name}` })
    )
    const [one, other] = await Promise.all([ada!.boundingBox(), bob!.boundingBox()])
    expect(Math.abs(one!.x - other!.x)).toBeGreaterThanOrEqual(60)
    expect(one!.y).toBe(other!.y)
    await ada!.click()
    expect(await ada!.getAttribute("aria-expanded")).toBe("true")
    await bob!.click()
    expect(await Promise.all([ada!, bob!].map((each) => each.getAttribute("aria-expanded")))).toEqual(["false", "true"])
    await expect.poll(() => widget.page.getByRole("dialog").count()).toBe(1)
  })

  it("receives events, but no text of the conversation; calls before the script has loaded are queued", async () => {
    const script = `window.Parley = window.Parley || function () { (Parley.q = Parley.q || []).push(arguments) }
      window.heard = []
      for (const name of ["ready", "open", "close", "message", "reply", "limit", "error"]) {
        Parley("on", name, (detail) => heard.push([name, detail]))
      }
      Parley("open")`
    const queue = stage.site.page("/events.js", script)
    const url = stage.site.page("/events", hostPage(`<script src="${queue}"></script>${stage.tag()}`))
    const widget = await stage.visit({ url })
    await widget.field.waitFor()
    await widget.ask("a secret")
    await expect.poll(() => widget.reply.textContent()).toBe("You said: a secret")
    stage.service.answer({ kind: "problem", status: 429, code: "too_many", retryAfter: "7" })
    await widget.ask("another secret")
    await widget.obstacle.waitFor()
    stage.service.answer({ kind: "cut", pieces: ["half a "] })
    const heard = () => widget.page.evaluate(() => (globalThis as unknown as { heard: ReadonlyArray<unknown> }).heard)
    await widget.page.evaluate(() => (globalThis as unknown as { Parley: { toggle(): void } }).Parley.toggle())
    const bot = { publicKey: KEY }
    await expect.poll(heard).toEqual([
      ["ready", { ...bot, displayName: "Ada of Acme", primaryColor: "#0b6e4f" }],
      ["open", bot],
      ["message", { ...bot, retryAfterSeconds: undefined }],
      ["reply", { ...bot, retryAfterSeconds: undefined }],
      ["message", { ...bot, retryAfterSeconds: undefined }],
      ["limit", { ...bot, retryAfterSeconds: 7 }],
      ["close", bot]
    ])
    stage.service.answer()
  })

  it("is as it was once the widget is removed", async () => {
    const page = hostPage('<script src="/watch.js"></script><button id="own">Own</button>')
    stage.site.page(
      "/watch.js",
      `window.alive = new Map()
      for (const target of [EventTarget.prototype, MediaQueryList.prototype]) {
        const { addEventListener, removeEventListener } = target
        target.addEventListener = function (name, listener, options) {
          const at = this ?? window
          const key = [at, name, listener]
          if (at === window || at === document || at instanceof MediaQueryList || at === visualViewport) {
            alive.set(key, name)
            options?.signal?.addEventListener("abort", () => alive.delete(key))
            if (options?.once) addEventListener.call(at, name, () => alive.delete(key), { once: true })
          }
          return addEventListener.call(at, name, listener, options)
        }
        target.removeEventListener = function (name, listener, options) {
          const at = this ?? window
          for (const key of alive.keys()) if (key[0] === at && key[1] === name && key[2] === listener) alive.delete(key)
          return removeEventListener.call(at, name, listener, options)
        }
      }`
    )
    const widget = await stage.visit({ url: stage.site.page("/removal", page) })
    const state = () =>
      widget.page.evaluate(() => ({
        html: document.documentElement.outerHTML,
        globals: Object.keys(globalThis).toSorted(),
        listeners: [...(globalThis as unknown as { alive: Map<unknown, string> }).alive.values()],
        frames: frames.length,
        focus: document.activeElement?.tagName
      }))
    const before = await state()
    await widget.page.evaluate(
      async ([src, key]) => {
        const script = document.createElement("script")
        Object.assign(script, { src })
        script.dataset["publicKey"] = key
        document.head.append(script)
      },
      [`${stage.service.url}/widget.js`, KEY] as const
    )
    await widget.open()
    expect((await state()).listeners.length).toBeGreaterThan(before.listeners.length)
    await widget.page.evaluate(() => {
      ;(globalThis as unknown as { Parley: { remove(): void } }).Parley.remove()
      document.head.querySelector("script[data-public-key]")?.remove()
    })
    expect(await state()).toEqual(before)
  })

  it("cannot be spoken for: messages of other windows, other origins or other forms change nothing", async () => {
    const widget = await stage.visit()
    await widget.launcher.waitFor()
    const chat = widget.page.frames()[1]!
    await chat.evaluate(() => {
      const counted = Object.assign(globalThis, { heard: 0 })
      addEventListener("message", () => (counted.heard += 1))
    })
    const evil = stage.site.page("/evil", "<!doctype html><title>Evil</title>")
    await widget.page.evaluate(async (src) => {
      const forged = [
        {
          parley: 1,
          type: "ready",
          displayName: "Evil",
          primaryColor: "#ff0000",
          inkColor: "#00ff00",
          launcherLabel: "Evil",
          unreadLabel: "Evil",
          frameTitle: "Evil"
        },
        { parley: 1, type: "absent" },
        { parley: 1, type: "close" }
      ]
      const frame = document.createElement("iframe")
      frame.src = src
      document.body.append(frame)
      await new Promise((resolve) => (frame.onload = resolve))
      type Speak = (to: Window, message: unknown) => void
      const other = frame.contentWindow as unknown as { eval(code: string): Speak }
      const speak = other.eval('(to, message) => to.postMessage(message, "*")')
      const shadows = [...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])
      const target = shadows[0]?.querySelector("iframe")?.contentWindow
      if (target == null) throw new Error("There is no chat.")
      // From a frame of the page, and from the page itself: to the page, and to the chat.
      for (const message of forged) {
        speak(window, message)
        postMessage(message, "*")
      }
      const state = { parley: 1, isOpen: true, theme: "dark", texts: { subtitle: "Evil" } }
      speak(target, state)
      for (const wrong of [
        null,
        1,
        "texts",
        { parley: 1 },
        { ...state, parley: 2 },
        { ...state, theme: "evil" },
        { ...state, texts: 1 }
      ]) {
        target.postMessage(wrong, "*")
      }
      // The last message is received last.
      await new Promise((resolve) => {
        addEventListener("message", ({ data }) => data === "over" && resolve(undefined))
        speak(window, "over")
      })
    }, evil)
    await expect.poll(() => chat.evaluate(() => (globalThis as unknown as { heard: number }).heard)).toBe(8)
    expect(await widget.launcher.getAttribute("aria-label")).toBe("Chat with Ada of Acme")
    expect(await widget.frame.getByText("Evil").count()).toBe(0)
    expect(await widget.frame.locator("html").getAttribute("data-theme")).toBe("auto")
    await widget.open()
    expect(widget.complaints).toEqual([])
  })

  it("may have a button of its own, which gets the focus back, and replaces any text", async () => {
    const own = '<button id="own" type="button" data-own>Help</button><script src="/own.js"></script>'
    stage.site.page("/own.js", 'document.querySelector("#own").onclick = () => Parley.open()')
    const texts =
      'data-launcher="none" data-text-placeholder="Frag mich" data-text-lang="de" data-text-field="Deine Nachricht"'
    const url = stage.site.page("/own", hostPage(own + stage.tag(texts)))
    const widget = await stage.visit({ url })
    const button = widget.page.locator("#own")
    await button.press("Enter")
    const field = widget.frame.getByLabel("Deine Nachricht")
    await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true)
    expect(await field.getAttribute("placeholder")).toBe("Frag mich")
    expect(await widget.frame.locator("html").getAttribute("lang")).toBe("de")
    expect(await widget.launcher.isVisible()).toBe(false)
    await widget.page.evaluate(() =>
      (globalThis as unknown as { Parley: { texts(texts: object): void } }).Parley.texts({
        field: "Noch eine",
        dir: "rtl",
        toString: "x"
      })
    )
    await widget.frame.getByLabel("Noch eine").press("Escape")
    expect(await widget.frame.locator("html").getAttribute("dir")).toBe("rtl")
    await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true)
  })

  it("gets its launcher once the service is there", async () => {
    const script = await (await fetch(`${stage.service.trustedUrl}/widget.js`)).text()
    // The script is in the browser's cache; the service does not answer.
    const url = stage.site.page("/later", hostPage(stage.tag()))
    stage.service.isDown = true
    const widget = await stage.visit({
      url,
      prepare: async (context) => {
        await context.clock.install()
        await context.route(`${stage.service.url}/widget.js`, (route) =>
          route.fulfill({ contentType: "text/javascript", body: script })
        )
      }
    })
    await widget.page.clock.runFor(5_000)
    await expect.poll(() => widget.page.frames().length).toBe(2)
    expect(await widget.launcher.isVisible()).toBe(false)
    stage.service.isDown = false
    await expect
      .poll(async () => {
        await widget.page.clock.runFor(10_000)
        return widget.launcher.isVisible()
      })
      .toBe(true)
  })

  it("gets its launcher once the bot's configuration can be read", async () => {
    const url = stage.site.page("/slow", hostPage(stage.tag()))
    let answers = 0
    const widget = await stage.visit({
      url,
      prepare: async (context) => {
        await context.clock.install()
        await context.route(/\/api\/widget\/config\//, async (route) => {
          answers += 1
          if (answers < 3) await route.fulfill({ status: 500, json: { code: "storage_unavailable" } })
          else await route.continue()
        })
      }
    })
    await expect
      .poll(async () => {
        await widget.page.clock.runFor(1_000)
        return widget.launcher.isVisible()
      })
      .toBe(true)
    expect(answers).toBe(3)
  })

  it("has to be one of the sites that the bot names, where it names any", async () => {
    const { publicKey } = await stage.service.createBot({ allowedSites: [stage.site.url] })
    stage.site.page("/named", hostPage(stage.tag("", publicKey)))
    const named = await stage.visit({ url: `${stage.site.url}/named` })
    await named.open()
    const other = await stage.visit({ url: `${stage.site.foreignUrl}/named` })
    await expect.poll(() => other.complaints.join()).toContain("frame-ancestors")
    expect(await other.launcher.isVisible()).toBe(false)
  })
})
