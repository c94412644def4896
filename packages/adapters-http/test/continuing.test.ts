import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"
import { surfaces } from "./support/surfaces.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }

describe.each(surfaces)("a reply that outlives its page, over %s", (_, surface) => {
  let server: TestServer
  beforeEach(async () => {
    server = await startServer({ surface })
  })
  afterEach(() => server.close())

  const send = async (onDisconnect: string, body: object = hello) =>
    server.fetch("/api/chat", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", "x-on-disconnect": onDisconnect, cookie: await cookieFor(ANN) }
    })
  const begin = async () => {
    const calling = server.model.nextCall()
    const responding = send("continue")
    const call = await calling
    call.say("First words, ")
    const response = await responding
    return { call, response, path: `/api/chats/${response.headers.get("x-chat-id")}` }
  }
  const join = (path: string) => server.fetch(`${path}/stream`, { user: ANN })

  test("goes on when its reader leaves, and is joined from its first word on", async () => {
    const { call, path, response } = await begin()
    await response.body?.cancel()
    const joined = await join(path)
    expect(joined.status).toBe(200)
    for (const name of ["content-type", "x-chat-id", "x-message-id", "x-model", "cache-control", "x-accel-buffering"]) {
      expect(joined.headers.get(name), name).toBe(response.headers.get(name))
    }
    const chat = (await (await server.fetch(path, { user: ANN })).json()) as Record<string, unknown>
    expect(chat["running"]).toMatchObject({
      messageId: response.headers.get("x-message-id"),
      model: "model-a-mini",
      startedAt: expect.stringMatching(/Z$/)
    })
    call.say("last words.")
    call.complete()
    expect(await joined.text()).toBe("First words, last words.")
    expect((await join(path)).status).toBe(204)
    const ended = (await (await server.fetch(path, { user: ANN })).json()) as { messages: Array<object> }
    expect(ended).toMatchObject({ running: null })
    expect(ended.messages.at(-1)).toMatchObject({ content: "First words, last words.", state: "complete" })
    const { transactions } = await server.parley.credits.history({ userId: ANN, limit: 9, offset: 0, type: "usage" })
    expect(transactions).toHaveLength(1)
  })

  test("breaks off for who joined it where it fails, and so where it is stopped", async () => {
    const failing = await begin()
    const joined = await join(failing.path)
    failing.call.fail("cut-off")
    await expect(joined.text()).rejects.toThrow()
    const stopped = await begin()
    const reading = (await join(stopped.path)).text()
    expect((await server.fetch(`${stopped.path}/stream`, { user: ANN, method: "DELETE" })).status).toBe(204)
    await expect(reading).rejects.toThrow()
    await expect(stopped.response.text()).rejects.toThrow()
    expect(await server.parley.credits.balance(ANN)).toMatchObject({ held: 0 })
  })

  test("the head of its stream tells without reading it", async () => {
    const { call, path, response } = await begin()
    const head = await server.fetch(`${path}/stream`, { user: ANN, method: "HEAD" })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe("")
    call.complete()
    expect(await response.text()).toBe("First words, ")
  })

  test("another wish for the end of a reply is 400, and asks no model", async () => {
    const problem = await expectProblem(await send("perhaps"), 400, "invalid_request")
    expect(problem["issues"]).toMatchObject([{ path: "x-on-disconnect" }])
    expect(server.model.requests).toBe(0)
    expect(await (await send("end")).text()).toBe("Hello there.")
  })
})
