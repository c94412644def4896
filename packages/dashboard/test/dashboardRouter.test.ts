import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { request } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import express from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dashboardRouter, notFoundPage } from "../src/index.ts"
import { PAGE_PATHS } from "../src/pagePaths.ts"

const folder = fileURLToPath(new URL("../dist-app/", import.meta.url))
const html = readFileSync(`${folder}index.html`, "utf8")
const assets = readdirSync(`${folder}assets`).map((name) => `/assets/${name}`)
const anyScript = assets.find((name) => name.endsWith(".js")) ?? ""
const anyStyle = assets.find((name) => name.endsWith(".css")) ?? ""

const app = express()
app.use(dashboardRouter({ signIn: { kind: "elsewhere", url: "https://id.example.org/" } }))
app.use("/last", notFoundPage())
app.use((_request, response) => void response.status(404).send("the next handler"))
const server = app.listen(0, "127.0.0.1")
const port = () => (server.address() as AddressInfo).port

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port()}${path}`, { headers })

/** As it is on the wire, compressed or not. */
const getRaw = async (path: string, acceptEncoding: string) => {
  const sent = request({ port: port(), host: "127.0.0.1", path, headers: { "accept-encoding": acceptEncoding } }).end()
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage]
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { headers: response.headers, body: Buffer.concat(chunks) }
}

beforeAll(async () => {
  if (!server.listening) await once(server, "listening")
})
afterAll(() => void server.close())

describe("the files of the dashboard", () => {
  it("are served with their types and a policy that allows nothing inline and nothing from elsewhere", async () => {
    const types = new Map([
      ["/", "text/html; charset=utf-8"],
      [anyScript, "text/javascript; charset=utf-8"],
      [anyStyle, "text/css; charset=utf-8"],
      ["/favicon.svg", "image/svg+xml"]
    ])
    for (const [path, type] of types) {
      const response = await get(path)
      expect(response.status, path).toBe(200)
      expect(response.headers.get("content-type"), path).toBe(type)
      expect(response.headers.get("x-content-type-options"), path).toBe("nosniff")
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
      expect(policy, path).not.toMatch(/unsafe|nonce|https?:|\*/)
      expect(policy, path).toContain("; require-trusted-types-for 'script'; trusted-types default")
      expect(response.headers.get("permissions-policy"), path).toMatch(/camera=\(\).*microphone=\(self\).*payment=\(\)/)
    }
  })

  it("are kept for ever where their name says what is in them, and asked for at each use where it does not", async () => {
    expect((await get(anyScript)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const first = await get("/")
    expect(first.headers.get("cache-control")).toBe("no-cache")
    const etag = first.headers.get("etag") ?? ""
    const again = await get("/", { "if-none-match": etag, "cache-control": "max-age=0" })
    expect(again.status).toBe(304)
  })

  it("go out compressed to browsers that take it, and as they are to others", async () => {
    const plain = readFileSync(folder + anyStyle)
    const zipped = await getRaw(anyStyle, "gzip")
    expect([zipped.headers["content-encoding"], zipped.headers["vary"]]).toEqual(["gzip", "accept-encoding"])
    expect(gunzipSync(zipped.body).equals(plain)).toBe(true)
    expect((await getRaw(anyStyle, "gzip, br")).headers["content-encoding"]).toBe("br")
    const identity = await getRaw(anyStyle, "identity")
    expect([identity.headers["content-encoding"], identity.body.equals(plain)]).toEqual([undefined, true])
  })

  it("leave every other path to the next handler, and nothing beside them can be reached", async () => {
    for (const path of [
      "/api/chat",
      "/nothing.js",
      "/assets",
      "/assets/",
      "/manifest.json",
      "/.sources",
      "/index.html.gz",
      "/..%2fpackage.json",
      "/%2e%2e/package.json",
      "/assets/..%2f..%2fpackage.json",
      "/chats",
      "/chats/a/b",
      "/constructor"
    ]) {
      const response = await get(path)
      expect([response.status, await response.text()], path).toEqual([404, "the next handler"])
    }
  })

  it("are the application, as not found, for browsers at an unknown address, and nothing for programs", async () => {
    const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
    const page = await get("/last/nowhere", { accept: browsers })
    expect([page.status, await page.text()]).toEqual([404, html])
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self';")
    expect(page.headers.get("vary")).toContain("Accept")
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5", "text/css,*/*;q=0.1"]) {
      const response = await get("/last/nowhere", { accept })
      expect([response.status, await response.text()], accept).toEqual([404, "the next handler"])
    }
    const url = `http://127.0.0.1:${port()}/last/nowhere`
    const posted = await fetch(url, { method: "POST", headers: { accept: browsers } })
    expect(await posted.text()).toBe("the next handler")
  })

  it("are the application under each address of its pages, so that a reload or a link leads there", async () => {
    for (const path of Object.values(PAGE_PATHS)) {
      const response = await get(path.replace(/:\w+/, "3f0c9a1e-0000-4000-8000-000000000000"))
      expect([response.status, await response.text()], path).toEqual([200, html])
    }
  })

  it("pass the sign-in settings to the page, and mark the payments of a stand-in", async () => {
    const response = await get("/dashboard.json")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(await response.json()).toEqual({
      signIn: { kind: "elsewhere", url: "https://id.example.org/", signOutUrl: null },
      standInPayments: null,
      widgetOrigin: null
    })
  })

  it("let the page frame the origin for visitors, if there is one", async () => {
    const other = express().use(dashboardRouter({ signIn: { kind: "development" }, widgetOrigin: "https://w.example" }))
    const listening = other.listen(0, "127.0.0.1")
    await once(listening, "listening")
    const { port } = listening.address() as AddressInfo
    const page = await fetch(`http://127.0.0.1:${port}/`)
    expect(page.headers.get("content-security-policy")).toContain("frame-src 'self' https://w.example;")
    expect(await (await fetch(`http://127.0.0.1:${port}/dashboard.json`)).json()).toMatchObject({
      widgetOrigin: "https://w.example"
    })
    listening.close()
  })
})

describe("the page of a brand", () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
  const colours = {
    fill: "#1f4fd8",
    fillHovered: "#1940b1",
    lightText: "#1e4dd4",
    lightSoft: "#e4eafa",
    darkText: "#9fb6ff",
    darkSoft: "#272b37"
  }
  const branding = { name: '$& <b>"', logo: `data:image/svg+xml;base64,${btoa(svg)}`, colours }
  const branded = express()
  branded.use(dashboardRouter({ signIn: { kind: "development" }, branding }))
  branded.use(notFoundPage({ branding }))
  const brandServer = branded.listen(0, "127.0.0.1")
  afterAll(() => void brandServer.close())
  const getBranded = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${(brandServer.address() as AddressInfo).port}${path}`, { headers })

  it("has the name, the logo and the colours before any script runs, under the same policy as ever", async () => {
    for (const path of ["/", "/index.html", "/shared/any", "/settings"]) {
      const response = await getBranded(path)
      expect(response.headers.get("content-security-policy")).toBe(
        (await get("/")).headers.get("content-security-policy")
      )
      const text = await response.text()
      expect(text).toContain("<title>$&amp; &lt;b&gt;&quot;</title>")
      expect(text).toContain('<meta name="application-name" content="$&amp; &lt;b&gt;&quot;" />')
      expect(text).toContain('<link rel="icon" href="/brand-logo.svg" />')
      expect(text).toContain("<noscript>$&amp; &lt;b&gt;&quot; needs JavaScript.")
      const ownStyles = text.lastIndexOf('href="/assets/')
      expect(text.indexOf('<link rel="stylesheet" href="/brand.css" /></head>')).toBeGreaterThan(ownStyles)
    }
    const lost = await getBranded("/nowhere", { accept: "text/html" })
    expect([lost.status, (await lost.text()).includes("/brand.css")]).toEqual([404, true])
  })

  it("has its files revalidated, and a logo that runs nothing if a person opens it", async () => {
    for (const [path, type] of [
      ["/", "text/html; charset=utf-8"],
      ["/brand.css", "text/css; charset=utf-8"],
      ["/brand-logo.svg", "image/svg+xml"]
    ] as const) {
      const response = await getBranded(path)
      expect([response.status, response.headers.get("content-type")], path).toEqual([200, type])
      expect([response.headers.get("cache-control"), response.headers.get("x-content-type-options")]).toEqual([
        "no-cache",
        "nosniff"
      ])
      const etag = response.headers.get("etag") ?? ""
      expect((await getBranded(path, { "if-none-match": `"other", W/${etag}` })).status, path).toBe(304)
      expect((await getBranded(path, { "if-none-match": '"other"' })).status, path).toBe(200)
    }
    const logo = await getBranded("/brand-logo.svg")
    expect(logo.headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    expect(await logo.text()).toBe(svg)
    expect((await getBranded("/brand-logo.png")).status).toBe(404)
  })

  it("has no file of a brand where none is set", async () => {
    for (const path of ["/brand.css", "/brand-logo.svg"]) expect((await get(path)).status).toBe(404)
    expect(await (await get("/")).text()).toBe(html)
    expect(html).not.toMatch(/application-name|brand/)
  })
})

describe("the page", () => {
  it("has no script or style of its own, and asks for no file that does not exist", () => {
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
    for (const [, path = ""] of html.matchAll(/(?:href|src)="(\/[^"]+)"/g)) {
      expect([...assets, "/favicon.svg", "/theme.js"]).toContain(path)
    }
  })
})
