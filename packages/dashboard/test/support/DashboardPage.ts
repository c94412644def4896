import type { Locator, Page } from "playwright-core"
import type { NamedFile } from "./files.ts"

/** Each page looks for new chats every second: the look that is under way when a session ends is refused. */
const REFUSED_LOOK = /status of 401 .*\/api\/chats\?limit=1/

/** The dashboard as a person uses it, with an eye on everything the browser complains about. */
export class DashboardPage {
  readonly page: Page
  readonly #complaints: Array<string> = []
  #repliesBefore = 0

  constructor(page: Page) {
    this.page = page
    page.on("console", (message) => {
      if (message.type() === "error") this.#complaints.push(`${message.text()} (${message.location().url})`)
    })
    page.on("pageerror", (error) => this.#complaints.push(String(error)))
  }

  /** Opens an address; default: the start page. */
  static async open(page: Page, path = "/"): Promise<DashboardPage> {
    const dashboard = new DashboardPage(page)
    await page.goto(path)
    return dashboard
  }

  /** The navigation; on a phone it is behind the menu button. */
  get navigation(): Locator {
    return this.page.getByRole("navigation", { name: "Main" })
  }

  get field(): Locator {
    return this.page.getByLabel("Your message", { exact: true })
  }

  get replies(): Locator {
    return this.page.locator('[data-role="assistant"]')
  }

  /** The newest reply. */
  get reply(): Locator {
    return this.replies.last()
  }

  /** The words of the newest reply. */
  get words(): Locator {
    return this.reply.locator("[data-markdown]")
  }

  get stopButton(): Locator {
    return this.page.getByRole("button", { name: "Stop", exact: true })
  }

  /** The button that shows and selects the documents for the next question. */
  get documentsButton(): Locator {
    return this.page.getByRole("button", { name: /^Choose documents for this chat/ })
  }

  async signIn(email: string): Promise<void> {
    await this.page.getByLabel("Email address").fill(email)
    await this.page.getByRole("button", { name: "Sign in" }).click()
    await this.page.getByLabel("Email address").waitFor({ state: "detached" })
    await this.page.getByRole("main").waitFor()
  }

  async openMenu(): Promise<void> {
    const menu = this.page.getByRole("button", { name: "Open the menu" })
    if (await menu.isVisible()) await menu.click()
  }

  /** Goes to a page of the navigation. */
  async goTo(name: string): Promise<void> {
    await this.openMenu()
    await this.navigation.getByRole("link", { name, exact: true }).click()
    await this.page.waitForFunction((title) => document.title.startsWith(title), name)
    await this.page.getByRole("main").getByRole("heading", { level: 1 }).waitFor()
  }

  async signOut(): Promise<void> {
    await this.openMenu()
    await this.page.getByRole("button", { name: /^Your account/ }).click()
    await this.page.getByRole("menuitem", { name: "Sign out" }).click()
    await this.page.getByLabel("Email address").waitFor()
  }

  /** Adds documents to the open chat, and waits until they are read. */
  async add(...files: ReadonlyArray<NamedFile>): Promise<void> {
    await this.documentsButton.click()
    const dialog = this.page.getByRole("dialog")
    await dialog
      .locator('input[type="file"]')
      .setInputFiles(
        files.map(({ bytes, name }) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) }))
      )
    for (const { name } of files) {
      const row = dialog.getByRole("listitem").filter({ hasText: name })
      await row.getByText(/\d (byte|kB|MB)|could not be read/i).waitFor()
    }
    await dialog.getByRole("button", { name: "Done" }).click()
    await dialog.waitFor({ state: "detached" })
  }

  async ask(question: string): Promise<void> {
    this.#repliesBefore = await this.replies.count()
    await this.field.fill(question)
    await this.field.press("Enter")
  }

  /** Waits until the newest reply has ended and its price is shown; returns its text. */
  async replied(): Promise<string> {
    await this.replies.nth(this.#repliesBefore).getByTitle("Show the receipt").waitFor()
    return (await this.words.textContent()) ?? ""
  }

  /** The remaining credits in the sidebar. */
  async balance(): Promise<number> {
    const line = this.navigation.getByText(/[\d,]+ credits? left/)
    return Number(/([\d,]+) credit/.exec((await line.textContent()) ?? "")?.[1]?.replaceAll(",", ""))
  }

  /** Watches the credits in the sidebar from now on; returns all different numbers that it showed, in order. */
  async watchBalance(): Promise<() => Promise<ReadonlyArray<number>>> {
    const watched = await this.navigation.evaluateHandle((place) => {
      const numbers: Array<number> = []
      const look = () => {
        const left = /([\d,]+) credits? left/.exec(place.textContent ?? "")?.[1]
        if (left === undefined) return
        const number = Number(left.replaceAll(",", ""))
        if (number !== numbers.at(-1)) numbers.push(number)
      }
      look()
      new MutationObserver(look).observe(place, { subtree: true, childList: true, characterData: true })
      return numbers
    })
    return () => watched.jsonValue()
  }

  /** Records the announcements to screen readers from now on; returns the current ones, and all of them. */
  async listen(): Promise<() => Promise<{ readonly now: ReadonlyArray<string>; readonly all: ReadonlyArray<string> }>> {
    const heard = await this.page.evaluateHandle(() => {
      const all: Array<string> = []
      const seen = new WeakSet<Element>()
      const listen = () => {
        for (const element of document.querySelectorAll("[aria-live=polite] > p")) {
          if (!seen.has(element)) all.push(element.textContent ?? "")
          seen.add(element)
        }
      }
      listen()
      new MutationObserver(listen).observe(document.body, { subtree: true, childList: true })
      return all
    })
    return async () => ({
      now: await this.page.locator("[aria-live=polite] > p").allTextContents(),
      all: await heard.jsonValue()
    })
  }

  /**
   * The browser's complaints: errors in scripts, breaches of the content security policy, failed requests. `expected`
   * are the failed requests that the test caused.
   */
  complaintsBut(...expected: ReadonlyArray<RegExp>): ReadonlyArray<string> {
    const patterns = [REFUSED_LOOK, ...expected]
    return this.#complaints.filter((complaint) => !patterns.some((pattern) => pattern.test(complaint)))
  }
}
