import { runtimeOf } from "@parley/core/effect"
import { createParley, type LogFields, openInMemory, type ParleyLogger } from "@parley/core"
import { type ChatModel, ChatModels } from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import { expect, test, vi } from "vitest"
import { parleyFetch } from "../src/index.ts"

const SECRET = "sk-secret-prompt"
const broken: ChatModel = { name: "broken", stream: () => Stream.die(new Error(`vendor said ${SECRET}`)) }
const models = ChatModels.of({ resolve: () => Effect.succeed(broken) })

/** Sends a request that fails on the server, and returns the status. */
const failingRequest = async (logger: ParleyLogger | false) => {
  const parley = await createParley({ ...(await openInMemory()), models, logger, work: false })
  const authenticate = () => ({ userId: "ann" })
  const handle = parleyFetch({ runtime: runtimeOf(parley), authenticate })
  const body = JSON.stringify({ messages: [{ role: "user", content: SECRET }] })
  const headers = { "content-type": "application/json" }
  const { status } = await handle(new Request("http://localhost/api/chat", { method: "POST", headers, body }))
  await parley.close()
  return status
}

/** A logger of the form of pino's, which depends on its `this`, with the lines that it took. */
class Lines implements ParleyLogger {
  readonly taken: Array<{ readonly level: string; readonly message: string; readonly fields: LogFields }> = []
  debug(fields: LogFields, message: string) {
    this.taken.push({ level: "debug", message, fields })
  }
  info(fields: LogFields, message: string) {
    this.taken.push({ level: "info", message, fields })
  }
  warn(fields: LogFields, message: string) {
    this.taken.push({ level: "warn", message, fields })
  }
  error(fields: LogFields, message: string) {
    this.taken.push({ level: "error", message, fields })
  }
}

const written = () => {
  const spies = [vi.spyOn(console, "log"), vi.spyOn(console, "error"), vi.spyOn(process.stdout, "write")]
  return () => {
    const calls = spies.flatMap(({ mock }) => mock.calls)
    for (const spy of spies) spy.mockRestore()
    return calls
  }
}

test("a logger of the caller's takes the lines of the router with level, sentence and fields, and no secret; the console none", async () => {
  const lines = new Lines()
  const stop = written()
  const status = await failingRequest(lines)
  expect(stop()).toEqual([])
  expect(status).toBe(500)
  const line = lines.taken.find(({ level }) => level === "error")
  expect(line).toMatchObject({ message: "A request failed unexpectedly.", fields: { route: "POST /api/chat" } })
  expect(line?.fields).toHaveProperty("requestId")
  expect(JSON.stringify(lines.taken)).not.toContain(SECRET)
})

test("with false nothing is logged anywhere, and one that throws fails no request", async () => {
  const stop = written()
  expect(await failingRequest(false)).toBe(500)
  const throwing = () => {
    throw new Error("disk full")
  }
  expect(await failingRequest({ debug: throwing, info: throwing, warn: throwing, error: throwing })).toBe(500)
  expect(stop()).toEqual([])
})
