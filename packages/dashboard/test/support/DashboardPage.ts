import type { Locator, Page } from "playwright-core"

export interface NamedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** How long reading a document may take, in milliseconds. */
const READING_MS = 30_000

/** The dashboard as a person uses it, with an eye on everything the browser complains about. */
export class DashboardPage {
  readonly page: Page
  readonly #complaints: Array<string> = []

  constructor(page: Page) {
    this.page = page
    page.on("console", (message) => {
      if (message.type() === "error") this.#complaints.push(`${message.text()} (${message.location().url})`)
    })
    page.on("pageerror", (error) => this.#complaints.push(String(error)))
  }

  static async open(page: Page): Promise<DashboardPage> {
    const dashboard = new DashboardPage(page)
    await page.goto("/")
    return dashboard
  }

  get field(): Locator {
    return this.page.getByLabel("Your message")
  }

  /** The newest reply. */
  get reply(): Locator {
    return this.page.locator(".message-assistant").last()
  }

  get stopButton(): Locator {
    return this.page.getByRole("button", { name: "Stop" })
  }

  /** The row of a document in the list. */
  document(filename: string): Locator {
    return this.page.locator("#document-list li").filter({ hasText: filename })
  }

  async signIn(email: string): Promise<void> {
    await this.page.getByLabel("Email address").fill(email)
    await this.page.getByRole("button", { name: "Sign in" }).click()
    await this.field.waitFor()
    await this.balance()
  }

  async add(...files: ReadonlyArray<NamedFile>): Promise<void> {
    await this.page
      .getByLabel("Add a document")
      .setInputFiles(
        files.map(({ bytes, name }) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) }))
      )
  }

  async isReady(filename: string): Promise<void> {
    await this.document(filename)
      .getByText(/^Ready/)
      .waitFor({ timeout: READING_MS })
  }

  async ask(question: string): Promise<void> {
    await this.field.fill(question)
    await this.field.press("Enter")
  }

  /** Waits until the newest reply has ended and everything about it is shown; gives its words. */
  async replied(): Promise<string> {
    await this.reply.locator(".cost").waitFor()
    return (await this.reply.locator(".words").textContent()) ?? ""
  }

  /** The credits shown in the header. */
  async balance(): Promise<number> {
    const button = this.page.getByRole("button", { name: "show the credit history" })
    await button.filter({ hasText: /\d/ }).waitFor()
    return Number(/([\d,]+) credit/.exec((await button.textContent()) ?? "")?.[1]?.replaceAll(",", ""))
  }

  /**
   * What the browser complained about: errors in scripts, breaches of the content security policy, failed requests.
   * `expected` are the failed requests that the test provoked.
   */
  complaintsBut(...expected: ReadonlyArray<RegExp>): ReadonlyArray<string> {
    const signedOut = /status of 401 .*\/api\/billing\/balance/
    const known = [signedOut, ...expected]
    return this.#complaints.filter((complaint) => !known.some((pattern) => pattern.test(complaint)))
  }
}
