import { connect } from "node:net"
import express from "express"
import { afterEach, describe, expect, test } from "vitest"
import { type HttpOptions, parleyListener, parleyRouter, type TrustProxy } from "../src/index.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { overNode, type Surface } from "./support/surfaces.ts"

const servers: Array<TestServer> = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const behind = (trustProxy: TrustProxy | undefined): Surface =>
  overNode((options, prefix) => parleyListener({ ...options, prefix, trustProxy }))

const inExpress = (trustProxy: boolean): Surface =>
  overNode((options) => express().set("trust proxy", trustProxy).use(parleyRouter(options)))

const start = async (surface: Surface, app: Partial<HttpOptions> = {}) => {
  const server = await startServer({ surface, app })
  servers.push(server)
  return server
}

const warnings = ({ log }: TestServer) => log.filter((line) => line.includes("proxy"))
const forwarded = { "x-forwarded-for": "203.0.113.7" }
const statusOf = async (server: TestServer, headers: Readonly<Record<string, string>> = {}) =>
  (await server.fetch("/healthz", { headers })).json()

describe("a request with X-Forwarded-For from an address that is not trusted", () => {
  test.each<readonly [string, Surface]>([
    ["no proxy is trusted", behind(undefined)],
    ["none is, said as none", behind(false)],
    ["none is, said as a number", behind(0)],
    ["another address is", behind("10.0.0.0/8, linklocal")],
    ["Express trusts none", inExpress(false)]
  ])("is warned of once where %s, and told to who asks on this machine", async (_, surface) => {
    const server = await start(surface)
    expect([await statusOf(server), warnings(server)]).toEqual([{ status: "ok" }, []])
    for (let request = 0; request < 5; request++) await server.fetch("/api/me", { headers: forwarded })
    const [warning, ...more] = warnings(server)
    expect(JSON.parse(warning ?? "{}")).toMatchObject({ level: "WARN" })
    expect([more, (warning ?? "").includes("PARLEY_TRUST_PROXY")]).toEqual([[], true])
    expect(warning).not.toContain("203.0.113.7")
    expect(await statusOf(server)).toEqual({ status: "ok", notes: ["untrusted_proxy"] })
  })

  test.each<readonly [string, Surface]>([
    ["its proxy is trusted by number", behind(1)],
    ["its proxy is trusted by name", behind("loopback")],
    ["every proxy is trusted", behind(true)],
    ["Express trusts it", inExpress(true)]
  ])("is nothing to be warned of where %s", async (_, surface) => {
    const server = await start(surface)
    for (const address of ["203.0.113.7", "127.0.0.1", "198.51.100.1, 127.0.0.1"]) {
      await server.fetch("/api/me", { headers: { "x-forwarded-for": address } })
    }
    expect([await statusOf(server), warnings(server)]).toEqual([{ status: "ok" }, []])
  })

  test("is not shown to a client that comes through a proxy, uses another name, or sends a forwarding header", async () => {
    const server = await start(behind(undefined))
    await server.fetch("/api/me", { headers: forwarded })
    const asked = async (head: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(server.port, "127.0.0.1")
        let text = ""
        socket.on("data", (bytes) => (text += String(bytes))).on("close", () => resolve(text))
        socket.write(`GET /healthz HTTP/1.1\r\nConnection: close\r\n${head}\r\n\r\n`)
      })
    expect(await asked("Host: localhost")).toContain("untrusted_proxy")
    for (const head of [
      "Host: parley.example",
      "Host: localhost\r\nX-Forwarded-For: 127.0.0.1",
      "Host: localhost\r\nVia: x"
    ]) {
      const answer = await asked(head)
      expect(answer).toContain('{"status":"ok"}')
    }
  })
})
