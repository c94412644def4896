import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import express from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dashboardRouter } from "../src/index.ts"

const folder = fileURLToPath(new URL("../public/", import.meta.url))
const html = readFileSync(`${folder}index.html`, "utf8")
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath.slice(folder.length)}/${entry.name}`.replace(/^\//, ""))

const app = express()
app.use(dashboardRouter({ signIn: { kind: "elsewhere", url: "https://id.example.org/" }, uploadTypes: ["pdf"] }))
app.use((_request, response) => void response.status(404).send("the next handler"))
const server = app.listen(0, "127.0.0.1")

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers })

beforeAll(async () => {
  if (!server.listening) await once(server, "listening")
})
afterAll(() => void server.close())

describe("the files of the dashboard", () => {
  it("are served with their types and a policy that allows nothing inline", async () => {
    const types = new Map([
      ["/", "text/html; charset=utf-8"],
      ["/main.js", "text/javascript; charset=utf-8"],
      ["/styles/base.css", "text/css; charset=utf-8"],
      ["/favicon.svg", "image/svg+xml"]
    ])
    for (const [path, type] of types) {
      const response = await get(path)
      expect(response.status, path).toBe(200)
      expect(response.headers.get("content-type"), path).toBe(type)
      expect(response.headers.get("x-content-type-options"), path).toBe("nosniff")
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy, path).toContain("script-src 'self'; style-src 'self';")
      expect(policy, path).not.toContain("unsafe")
    }
  })

  it("are checked for changes at every use, and sent again only then", async () => {
    const first = await get("/main.js")
    expect(first.headers.get("cache-control")).toBe("no-cache")
    const etag = first.headers.get("etag") ?? ""
    const again = await get("/main.js", { "if-none-match": etag, "cache-control": "max-age=0" })
    expect(again.status).toBe(304)
  })

  it("leave every other path to the next handler, and nothing beside them can be reached", async () => {
    for (const path of [
      "/api/chat",
      "/nothing.js",
      "/styles",
      "/..%2fpackage.json",
      "/%2e%2e/package.json",
      "/.hidden"
    ]) {
      const response = await get(path)
      expect([response.status, await response.text()], path).toEqual([404, "the next handler"])
    }
  })

  it("tell the page how people sign in and which files to offer", async () => {
    const response = await get("/dashboard.json")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(await response.json()).toEqual({
      signIn: { kind: "elsewhere", url: "https://id.example.org/", signOutUrl: null },
      uploadTypes: ["pdf"]
    })
  })
})

describe("the page", () => {
  it("asks at once for every module it will need, and for none that does not exist", () => {
    const modules = files.filter((file) => file.endsWith(".js") && file !== "main.js")
    const preloaded = [...html.matchAll(/rel="modulepreload" href="\/([^"]+)"/g)].map((match) => match[1])
    expect(preloaded.toSorted()).toEqual(modules.toSorted())
    for (const [, path = ""] of html.matchAll(/(?:href|src)="\/([^"]+)"/g)) expect(files).toContain(path)
  })

  it("has no script or style of its own, and never makes markup of text", () => {
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
    for (const file of files.filter((name) => name.endsWith(".js"))) {
      expect(`${file}: ${readFileSync(folder + file, "utf8")}`).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/
      )
    }
  })
})
