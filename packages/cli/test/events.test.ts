import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { ParleyEvent } from "@parley/core"
import { verifyWebhook } from "@parley/core/webhook"
import { afterAll, beforeAll, expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`
const ANN = "ann@example.com"

interface Listed {
  readonly destinations: ReadonlyArray<{ readonly id: string; readonly disabledAt: string | null }>
  readonly events: ReadonlyArray<{ readonly event: string; readonly reason: string | null }>
}

const folder = temporaryFolder()
/** The next responses of the endpoint, and its requests. */
const answers: Array<number> = []
const arrivals: Array<ParleyEvent> = []
const waiting: Array<() => void> = []
const arrived = async (count: number) => {
  while (arrivals.length < count) await new Promise<void>((next) => waiting.push(next))
}
const other = createServer(async (request, response) => {
  const body = await text(request)
  arrivals.push(await verifyWebhook(request.headers, body, SECRET))
  response.writeHead(answers.shift() ?? 204).end(() => waiting.splice(0).forEach((next) => next()))
})
let server: RunningServer

beforeAll(async () => {
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done))
  const { port } = other.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/hook?token=hunter2`
  const events = ["document.ready", "document.failed"]
  writeFileSync(join(folder.path, "parley.json"), JSON.stringify({ webhooks: [{ url, secret: "HOOK", events }] }))
  server = await startServer(folder.path, { PARLEY_CONFIG: "parley.json", HOOK: SECRET })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  other.closeAllConnections()
  other.close()
  folder[Symbol.dispose]()
})

const listed = async (...argv: ReadonlyArray<string>) =>
  JSON.parse((await runHere(["events", "list", "--json", ...argv], folder.path)).stdout) as Listed

it("a server sends signed webhooks about documents; a dead event is listed, retried by an operator, and audited", async () => {
  answers.push(410)
  const ann = new Visitor(server.url)
  await ann.signIn(ANN)
  const uploaded = await ann.upload("storks.txt", new TextEncoder().encode("Storks nest on chimneys."))
  const { documentId } = (await uploaded.json()) as { readonly documentId: string }
  await arrived(1)
  expect(arrivals[0]).toMatchObject({
    type: "document.ready",
    data: { account: ANN, documentId, filename: "storks.txt", passages: 1 }
  })
  let dead = await listed("--state", "dead")
  while (dead.events.length === 0) dead = await listed("--state", "dead")
  const [destination] = dead.destinations
  expect(dead.events).toMatchObject([{ event: arrivals[0]?.id, account: ANN, tries: 1 }])
  expect(destination).toMatchObject({ id: expect.stringMatching(/^webhook:127\.0\.0\.1:\d+#/), dead: 1 })
  expect(destination?.disabledAt).not.toBe(null)
  const shown = (await runHere(["events", "list"], folder.path)).stdout
  expect(shown).toContain("document.ready")
  expect(shown).not.toContain("hunter2")
  const why = ["--reason", "it was repaired", "--by", "olga"]
  const retried = await runHere(["events", "retry", "--event", arrivals[0]?.id ?? "", "--json", ...why], folder.path)
  expect([retried.exit, JSON.parse(retried.stdout)]).toEqual([0, { retried: 1 }])
  await arrived(2)
  expect(arrivals[1]).toEqual(arrivals[0])
  const { stdout } = await runHere(["audit", "list", "--json"], folder.path)
  expect(JSON.parse(stdout)).toMatchObject({
    entries: [{ by: "olga", action: "events retry", details: arrivals[0]?.id, reason: "it was repaired" }]
  })
})
