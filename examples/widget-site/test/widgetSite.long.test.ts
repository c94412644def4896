import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningServer, startServer } from "../../../packages/dashboard/test/support/runningServer.ts"
import { inTime, launchChromium, whereChromiumIs } from "../../../test/support/chromium.ts"

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const QUESTION = "How long does shipping to Iceland take?"
const ANSWER = "Shipping to Iceland takes nine working days."

let server: RunningServer
let shop: ChildProcess | undefined
let browser: Browser | undefined

/** Asks the service as its owner does. */
const asOwner = async () => {
  const headers = { "content-type": "application/json" }
  const signIn = { method: "POST", headers, body: JSON.stringify({ email: "bell@example.org" }) }
  const [cookie = ""] = (await fetch(`${server.url}/dev/sign-in`, signIn)).headers.getSetCookie()
  const session = { cookie: cookie.split(";")[0]! }
  return {
    upload: async (name: string, text: string): Promise<string> => {
      const body = new FormData()
      body.set("file", new File([text], name))
      const answer = await fetch(`${server.url}/api/upload`, { method: "POST", headers: session, body })
      return ((await answer.json()) as { documentId: string }).documentId
    },
    send: async <A>(method: string, path: string, body?: unknown): Promise<A> => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(server.url + path, { method, headers: { ...headers, ...session }, ...init })
      return (await answer.json()) as A
    }
  }
}

/** A bot that answers from a document about shipping. */
const createBot = async (): Promise<string> => {
  const owner = await asOwner()
  const documentId = await owner.upload("shipping.md", `# Shipping\n\n${ANSWER} Other countries take three.`)
  await owner.send("POST", "/api/rag", { documentId })
  await expect
    .poll(async () => (await owner.send<{ status: string }>("GET", `/api/documents/${documentId}`)).status)
    .toBe("ready")
  const settings = { displayName: "Bell", welcomeMessage: "Hello!", documentIds: [documentId], showSources: true }
  const bot = await owner.send<{ keys: ReadonlyArray<{ publicKey: string }> }>("POST", "/api/bots", settings)
  return bot.keys[0]?.publicKey ?? ""
}

/** The address that the shop prints once it is open. */
const openShop = (publicKey: string): Promise<string> => {
  shop = spawn(process.execPath, [program, publicKey, server.url], { env: { ...process.env, PORT: "0" } })
  return new Promise((resolve, reject) => {
    let said = ""
    shop?.once("exit", () => reject(new Error(`The shop did not open. It said:\n${said}`)))
    for (const stream of [shop?.stdout, shop?.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        said += chunk.toString()
        const address = /http:\/\/localhost:\d+/.exec(said)?.[0]
        if (address !== undefined) resolve(address)
      })
    }
  })
}

describe("the site that embeds a bot", () => {
  whereChromiumIs(() => {
    beforeAll(async () => {
      ;[server, browser] = await Promise.all([startServer(), launchChromium()])
    })
    afterAll(async () => {
      if (browser !== undefined) await inTime(browser.close())
      shop?.kill()
      await server?.stop()
    })

    it("has its visitors answered from the owner's documents, on each of its pages, within its policy", async () => {
      const address = await openShop(await createBot())
      const page = await browser!.newPage()
      const complaints: Array<string> = []
      page.on("console", (message) => {
        // Browsers ask for an icon that the shop does not have.
        if (message.type() === "error" && !message.location().url.endsWith("favicon.ico"))
          complaints.push(message.text())
      })
      await page.goto(address)
      await page.getByRole("button", { name: "Ask us anything" }).click()
      const chat = page.frameLocator("dialog iframe")
      await chat.getByLabel("Your message").fill(QUESTION)
      await chat.getByRole("button", { name: "Send" }).click()
      await expect.poll(() => chat.locator(".bot .markdown").last().textContent()).toContain(ANSWER)
      await expect.poll(() => page.locator("html").getAttribute("data-answered")).toBe("yes")
      await chat.getByRole("button", { name: "Source 1" }).click()
      await expect.poll(() => chat.locator("details[open]").textContent()).toContain("shipping.md")

      await chat.getByRole("button", { name: "Close chat" }).click()
      await page.getByRole("link", { name: "Shipping" }).click()
      await page.getByRole("button", { name: "Chat with Bell" }).click()
      await expect.poll(() => chat.locator(".visitor .bubble").allTextContents()).toEqual([QUESTION])
      await expect.poll(() => chat.locator(".bot .markdown").last().textContent()).toContain(ANSWER)
      expect(complaints).toEqual([])
    })
  })
})
