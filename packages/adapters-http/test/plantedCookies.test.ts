import { runtimeOf } from "@parley/core/effect"
import { once } from "node:events"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import type { RequestListener } from "node:http"
import { createParley, openInMemory, type Parley } from "@parley/core"
import { DocumentParser, DocumentUnreadable, ChatModels } from "@parley/core/adapter"
import { Effect } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { HmacSessionVerifier, parleyApp } from "../src/index.ts"
import { describeInChromium } from "./support/chromium.ts"
import { ScriptedModel } from "./support/ScriptedModel.ts"
import { cookieFor, SECRET } from "./support/startServer.ts"
import { testCertificate } from "./support/testCertificate.ts"

const NAME = "__Host-parley_session"
const VICTIM = "victim"
const ATTACKER = "attacker"
const credits: Readonly<Record<number, string>> = { 101: VICTIM, 102: ATTACKER }

const listen = async (listener: RequestListener): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer(testCertificate, listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, port: (server.address() as AddressInfo).port }
}

const openParley = async (): Promise<Parley> =>
  createParley({
    ...(await openInMemory()),
    parser: DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "None here." })) }),
    models: ChatModels.of({ resolve: () => Effect.succeed(new ScriptedModel()) })
  })

const tokenOf = async (user: string) => (await cookieFor(user)).slice("parley_session=".length)

describeInChromium("a sibling domain in a real browser", (browser) => {
  let parley: Parley
  let own: Awaited<ReturnType<typeof listen>>
  let sibling: Awaited<ReturnType<typeof listen>>
  let base: string
  let attacker: string
  /** The Set-Cookie headers that the sibling answers with. */
  let planted: ReadonlyArray<string> = []
  /** The Cookie header of the newest request to Parley, a character for each byte. */
  let sent = ""

  beforeAll(async () => {
    parley = await openParley()
    for (const [user, amount] of [
      [VICTIM, 1],
      [ATTACKER, 2]
    ] as const) {
      await parley.credits.balance(user)
      await parley.credits.grant({ userId: user, amount, key: user })
    }
    const victim = await tokenOf(VICTIM)
    attacker = await tokenOf(ATTACKER)
    // With a text as its body, Node writes the headers in UTF-8 as well.
    const bytes = Buffer.from("planted")
    sibling = await listen((_, response) => {
      response.setHeader("set-cookie", [...planted])
      response.setHeader("content-type", "text/html").end(bytes)
    })
    let app: RequestListener = () => undefined
    own = await listen((request, response) => {
      // A browser asks for an icon when it likes; the planted cookie is for the API alone.
      if (request.url?.startsWith("/api/") === true) sent = request.headers.cookie ?? ""
      app(request, response)
    })
    base = `https://parley.test:${own.port}`
    app = parleyApp({
      runtime: runtimeOf(parley),
      sessions: HmacSessionVerifier.make({ secret: SECRET }),
      baseUrl: base,
      pages: (request, response) => {
        if (request.url === "/signed-in") {
          response.setHeader("set-cookie", `${NAME}=${victim}; Path=/; Secure; HttpOnly; SameSite=Lax`)
        }
        response.setHeader("content-type", "text/html; charset=utf-8").end("a page")
      }
    })
  })
  afterAll(async () => {
    for (const each of [own, sibling]) {
      each.server.closeAllConnections()
      each.server.close()
    }
    await parley.close()
  })

  /** The browser of one person after another: its cookies are cleared in between, and its processes used again. */
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    context = await browser().newContext({ ignoreHTTPSErrors: true })
    // A busy machine may be late.
    context.setDefaultTimeout(110_000)
    page = await context.newPage()
  })
  beforeEach(async () => {
    await context.clearCookies()
    expect(await context.cookies()).toEqual([])
  })

  /** Visits the sibling, which plants cookies, and returns the person that Parley then sees in this browser. */
  const seenAfter = async (cookies: ReadonlyArray<string>) => {
    planted = cookies
    await page.goto(`https://evil.parley.test:${sibling.port}/`)
    await page.goto(`${base}/page`)
    return page.evaluate(async () => {
      const answer = await fetch("/api/billing/balance")
      return answer.status === 200 ? ((await answer.json()) as { available: number }).available : answer.status
    })
  }

  const signIn = () => page.goto(`${base}/signed-in`)

  const plantings: ReadonlyArray<readonly [string, (token: string) => string]> = [
    ["the byte A0 before the name", (token) => `\xa0${NAME}=${token}`],
    ["the byte A0 after the name", (token) => `${NAME}\xa0=${token}`],
    ["U+00A0 in UTF-8", (token) => `\xc2\xa0${NAME}=${token}`],
    ["no name", (token) => `=${NAME}=${token}`],
    ["the prefixed name itself", (token) => `${NAME}=${token}`],
    ["the name without its prefix", (token) => `parley_session=${token}`]
  ]

  it.each(plantings)("signs no person in as another: %s", async (_, pairOf) => {
    const cookie = `${pairOf(attacker)}; Domain=parley.test; Path=/api; Secure`
    expect(await seenAfter([cookie])).toBe(401)
    await context.clearCookies()
    await signIn()
    expect(credits[await seenAfter([cookie])]).toBe(VICTIM)
  })

  it("does plant a cookie ahead of the real one: the browser sends the byte A0 as part of the name", async () => {
    const cookie = `\xa0${NAME}=planted; Domain=parley.test; Path=/api; Secure`
    await signIn()
    await seenAfter([cookie])
    expect(sent).toMatch(new RegExp(`^\xa0${NAME}=planted; ${NAME}=`))
  })
})
