import { expect, it } from "vitest"
import { brokenRules } from "../support/brokenRules.ts"
import { added, give, messageImages } from "../looks/messageImages.ts"
import { CHAT_LOOKS } from "../looks/WindowLook.ts"
import { describeInChromium } from "../support/describeInChromium.ts"

describeInChromium("images of a message", {}, (stage) => {
  messageImages(stage, CHAT_LOOKS)
})

describeInChromium("images of the next question", {}, (stage) => {
  it("stay in the field while an earlier question is answered again", async () => {
    const dashboard = await stage.openAs("patient@example.org")
    const { page } = dashboard
    await dashboard.ask("What do storks eat?")
    await dashboard.replied()
    await give(page, "paste", 10, 10)
    await expect.poll(() => added(page).count()).toBe(1)
    await page.locator('[data-role="assistant"]').hover()
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/chat"))
    await page.getByRole("button", { name: "Answer again" }).click()
    await sent
    await dashboard.replied()
    expect(await added(page).count()).toBe(1)
  })
})

describeInChromium("a model that sees no images", { models: { "model-a-mini": { imageTokens: 0 } } }, (stage) => {
  it("gets none: the page says so, and offers no button", async () => {
    const dashboard = await stage.openAs("blind@example.org")
    const { page } = dashboard
    await dashboard.field.waitFor()
    await page.getByRole("button", { name: /^Model:/ }).waitFor()
    expect(await page.getByTitle("Add images, or take a photo").count()).toBe(0)
    await give(page, "paste", 10, 10)
    await page.getByText("This model sees no images.").waitFor()
    expect(await added(page).count()).toBe(0)
    expect(await brokenRules(page)).toEqual([])
  })
})

describeInChromium("a spoken message", {}, (stage) => {
  it("is written behind the text as it is said, and can be changed and sent", async () => {
    const dashboard = await stage.openAs("speaker@example.org")
    const { page } = dashboard
    // The browser's own recognition asks a server of its maker.
    await page.addInitScript(() => {
      class Spoken extends EventTarget {
        start() {
          Object.assign(globalThis, { spoken: this })
        }
        stop() {
          this.dispatchEvent(new Event("end"))
        }
        abort() {
          this.stop()
        }
      }
      Object.assign(globalThis, { SpeechRecognition: Spoken, webkitSpeechRecognition: Spoken })
    })
    await page.reload()
    await dashboard.field.fill("Dear assistant,")
    const say = (...parts: ReadonlyArray<string>) =>
      page.evaluate((words) => {
        const results = words.map((transcript) => [{ transcript }])
        ;(globalThis as { spoken?: EventTarget }).spoken?.dispatchEvent(Object.assign(new Event("result"), { results }))
      }, parts)
    await page.getByRole("button", { name: "Speak your message" }).click()
    const stop = page.getByRole("button", { name: "Stop listening" })
    await stop.waitFor()
    expect(await brokenRules(page)).toEqual([])
    await say("when do")
    await expect.poll(() => dashboard.field.inputValue()).toBe("Dear assistant, when do")
    await say("When do ", "storks return?")
    await expect.poll(() => dashboard.field.inputValue()).toBe("Dear assistant, When do storks return?")
    await stop.click()
    await page.getByRole("button", { name: "Speak your message" }).click()
    await say("Please")
    await expect.poll(() => dashboard.field.inputValue()).toBe("Dear assistant, When do storks return? Please")
    await dashboard.field.press("Enter")
    await dashboard.replied()
    // Nothing that was sent comes back with later words.
    await page.getByRole("button", { name: "Speak your message" }).waitFor()
    expect(await dashboard.field.inputValue()).toBe("")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("whose microphone is refused leaves the text as it is, and the button says what to do", async () => {
    const dashboard = await stage.openAs("mute@example.org")
    const { page } = dashboard
    await page.addInitScript(() => {
      class Refused extends EventTarget {
        start() {
          this.dispatchEvent(Object.assign(new Event("error"), { error: "not-allowed" }))
          this.dispatchEvent(new Event("end"))
        }
        stop() {}
      }
      Object.assign(globalThis, { SpeechRecognition: Refused, webkitSpeechRecognition: Refused })
    })
    await page.reload()
    await dashboard.field.fill("Hello")
    await page.getByRole("button", { name: "Speak your message" }).click()
    await page.getByRole("button", { name: /^The microphone cannot be used/ }).waitFor()
    expect(await dashboard.field.inputValue()).toBe("Hello")
  })
})
