import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { routes } from "../src/routes/routes.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const BASE = "http://app.example.com"
const WIDGET = "http://widget.example.com"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ app: { baseUrl: BASE, widgetOrigin: WIDGET } })
})
afterAll(() => server.close())

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

/** Asks for a path at a host; the code of the problem, if there is one. */
const askAt = (host: string | undefined, method: string, path: string) =>
  new Promise<Answer & { readonly code: string | undefined }>((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": "2",
      ...(host === undefined ? {} : { host })
    }
    const sent = request({ port: server.port, host: "127.0.0.1", method, path, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => void (text += piece))
      response.on("end", () => {
        const code = /"code":"(\w+)"/.exec(text)?.[1]
        resolve({ status: response.statusCode ?? 0, text, code, headers: response.headers })
      })
    })
    sent.on("error", reject)
    sent.end("{}")
  })

const VISITORS = /^\/(?:api\/)?widget\//
const BOTH = ["/healthz", "/readyz", "/widget.js"]
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, "pk_x")
const isAway = ({ code, status }: { code: string | undefined; status: number }) =>
  status === 404 && code === "not_found"

describe("an origin for visitors alone", () => {
  test.each(routes.map(({ method, path }) => [method, path] as const))(
    "%s %s is served at the hosts of its own origin alone",
    async (method, path) => {
      const [atWidget, atBase] = [
        await askAt("widget.example.com", method, pathOf(path)),
        await askAt("app.example.com", method, pathOf(path))
      ]
      if (BOTH.includes(path)) expect([isAway(atWidget), isAway(atBase)]).toEqual([false, false])
      else if (VISITORS.test(path)) {
        expect(isAway(atBase)).toBe(true)
        // A file that does not exist is not found there either.
        expect(isAway(atWidget)).toBe(path === "/widget/assets/{name}")
      } else expect(isAway(atWidget)).toBe(true)
    }
  )

  test.each(["WIDGET.example.com", "widget.example.com:80"])("counts %s as the same host", async (host) => {
    expect(isAway(await askAt(host, "GET", "/api/me"))).toBe(true)
    expect((await askAt(host, "GET", "/widget/pk_x")).status).toBe(200)
  })

  test.each(["widget.example.com.", "widget.example.com:81", "127.0.0.1", "evil.example"])(
    "%j is no host of visitors, and serves none of their pages",
    async (host) => {
      expect(isAway(await askAt(host, "GET", "/widget/pk_x"))).toBe(true)
      expect((await askAt(host, "GET", "/api/me")).status).not.toBe(200)
    }
  )

  test("the session cookie counts at the host of people alone, for any target", async () => {
    const sameTarget = await askAt("widget.example.com", "GET", `${BASE}/api/me`)
    expect(isAway(sameTarget)).toBe(true)
  })

  test("pages that embed the script of the other origin get the one of the widget's", async () => {
    const old = await askAt("app.example.com", "GET", "/widget.js")
    expect([old.status, old.text.length < 400]).toEqual([200, true])
    expect(old.text).toContain(`n.src="${WIDGET}/widget.js"`)
    const own = await askAt("widget.example.com", "GET", "/widget.js")
    expect(own.text).not.toContain(WIDGET)
    expect(own.text.length).toBeGreaterThan(2_000)
  })

  test("the page may be shown by the dashboard of the other origin, too", async () => {
    const bot = await server.parley.bots.create("ann", { displayName: "Bot", allowedSites: ["https://shop.example"] })
    const key = bot.keys[0]?.publicKey ?? ""
    const { headers } = await askAt("widget.example.com", "GET", `/widget/${key}`)
    expect(headers["content-security-policy"]).toContain(`frame-ancestors 'self' ${BASE} https://shop.example`)
  })
})

test.each([
  [{ widgetOrigin: WIDGET }, "needs a `baseUrl`"],
  [{ baseUrl: BASE, widgetOrigin: BASE }, "another origin"],
  [{ baseUrl: BASE, widgetOrigin: `${WIDGET}/chat` }, "is not like"]
])("%j is refused when the server is made", async (app, said) => {
  await expect(startServer({ app })).rejects.toThrow(said)
})
