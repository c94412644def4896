import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parleyListener } from "../src/index.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const PREFIX = "/below"
const LOADER = `${PREFIX}/widget.js`
const FRAME = `${PREFIX}/widget/pk_0123456789abcdefghjkmnpqrstvwxyz`

let server: TestServer
beforeAll(async () => {
  server = await startServer({ listener: parleyListener, prefix: PREFIX })
})
afterAll(() => server.close())

/** The addresses that a page loads, relative to it. */
const loadedBy = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address)

describe("the widget's files", () => {
  test("are a script that any site may load, for five minutes without asking again", async () => {
    const response = await server.fetch(LOADER)
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(response.headers.get("cache-control")).toContain("max-age=300,")
    expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin")
    expect(await response.text()).toContain("data")
    const etag = response.headers.get("etag") ?? ""
    const again = await server.fetch(LOADER, { headers: { "if-none-match": `"other", W/${etag}` } })
    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" })
  })

  test("are a page that other sites may frame and that does nothing but its own script and styles", async () => {
    const response = await server.fetch(FRAME)
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(response.headers.get("x-frame-options")).toBeNull()
    const policy = response.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
    expect(policy).not.toContain("unsafe")
    const html = await response.text()
    expect(html).not.toMatch(/<style|style=|<script[^>]*>[^<]/)
  })

  test("are framed only by the sites that their bot names, from the next time on that it is asked for", async () => {
    const bot = await server.parley.bots.create("ann", { displayName: "Ada", allowedSites: ["https://shop.example"] })
    const frame = `${PREFIX}/widget/${bot.keys[0]?.publicKey}`
    const policyOf = (response: Response) => response.headers.get("content-security-policy")?.split("; ").at(-1)
    const first = await server.fetch(frame)
    expect(policyOf(first)).toBe("frame-ancestors 'self' https://shop.example")
    const etag = first.headers.get("etag") ?? ""
    expect((await server.fetch(frame, { headers: { "if-none-match": etag } })).status).toBe(304)
    await server.parley.bots.update("ann", bot.id, { allowedSites: ["https://*.shop.example"] })
    const second = await server.fetch(frame, { headers: { "if-none-match": etag } })
    expect([second.status, policyOf(second)]).toEqual([200, "frame-ancestors 'self' https://*.shop.example"])
    await server.parley.bots.update("ann", bot.id, { active: false })
    expect(policyOf(await server.fetch(frame))).not.toContain("frame-ancestors")
  })

  test("are shown as a preview by the server's own pages alone", async () => {
    const policy = (await server.fetch(`${PREFIX}/widget/preview`)).headers.get("content-security-policy")
    expect(policy?.split("; ").at(-1)).toBe("frame-ancestors 'self'")
  })

  test("are what that page loads, from under any prefix, once and for ever", async () => {
    const html = await (await server.fetch(FRAME)).text()
    const addresses = loadedBy(html)
    expect(addresses.length).toBeGreaterThanOrEqual(2)
    for (const address of addresses) {
      const { pathname } = new URL(address, `${server.url}${FRAME}`)
      expect(pathname).toMatch(/^\/below\/widget\/assets\//)
      const response = await server.fetch(pathname)
      expect(response.status).toBe(200)
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(response.headers.get("content-type")).toMatch(/^text\/(css|javascript); charset=utf-8$/)
      await response.text()
    }
  })

  test("come in the form that the client takes", async () => {
    const plain = await server.fetch(LOADER, { headers: { "accept-encoding": "identity, br;q=0" } })
    expect(plain.headers.get("content-encoding")).toBeNull()
    const best = await server.fetch(LOADER, { headers: { "accept-encoding": "gzip, deflate, br" } })
    expect(best.headers.get("content-encoding")).toBe("br")
    expect(await best.text()).toBe(await plain.text())
    const head = await server.fetch(LOADER, { method: "HEAD", headers: { "accept-encoding": "gzip" } })
    expect(head.headers.get("content-encoding")).toBe("gzip")
    expect(await head.text()).toBe("")
  })

  test("are no others than those that are built", async () => {
    for (const path of ["/widget/assets/none.js", "/widget/assets/..%2Findex.html", "/widget/assets/%2e%2e"]) {
      const response = await server.fetch(PREFIX + path)
      expect([path, response.status]).toEqual([path, 404])
      await response.text()
    }
  })
})
