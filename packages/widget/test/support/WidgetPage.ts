import type { FrameLocator, Locator, Page } from "playwright-core"

/** A page with the widget on it, as a visitor uses it. */
export class WidgetPage {
  readonly page: Page
  /** The browser's complaints. */
  readonly complaints: Array<string> = []

  constructor(page: Page) {
    this.page = page
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(`${message.text()} (${message.location().url})`)
    })
    page.on("pageerror", (error) => this.complaints.push(String(error)))
  }

  get launcher(): Locator {
    return this.page.locator("button[aria-haspopup=dialog]").first()
  }

  get frame(): FrameLocator {
    return this.page.frameLocator("dialog iframe")
  }

  get panel(): Locator {
    return this.page.locator("dialog:has(iframe)")
  }

  get field(): Locator {
    return this.frame.getByLabel("Your message", { exact: true })
  }

  get replies(): Locator {
    return this.frame.locator(".message.bot .markdown")
  }

  /** The newest reply, or the welcome text if there is none. */
  get reply(): Locator {
    return this.replies.last()
  }

  get messages(): Locator {
    return this.frame.locator(".message.visitor .bubble")
  }

  get obstacle(): Locator {
    return this.frame.locator(".obstacle")
  }

  /** Opens the chat with its launcher. */
  async open(): Promise<void> {
    await this.launcher.click()
    await this.field.waitFor()
  }

  async ask(text: string): Promise<void> {
    await this.field.fill(text)
    await this.field.press("Enter")
  }
}
