import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"

let server: TestServer
beforeEach(async () => {
  server = await startServer()
})
afterEach(() => server.close())

const ask = async (content: string, key: string) =>
  fetch(`${server.url}/api/chat`, {
    method: "POST",
    headers: { cookie: await cookieFor(ANN), "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ messages: [{ role: "user", content }] })
  })

const charges = async () =>
  (await server.parley.credits.history({ userId: ANN, limit: 50, offset: 0, type: "usage" })).total

describe("Idempotency-Key", () => {
  test("a request sent again gets the same answer under the same ids and is charged once", async () => {
    const calling = server.model.nextCall()
    const first = ask("Hello?", "key-1")
    const call = await calling
    call.say("Hello.")
    call.complete()
    const answer = await first
    expect(await answer.text()).toBe("Hello.")
    const again = await ask("Hello?", "key-1")
    expect(again.status).toBe(200)
    expect(again.headers.get("x-chat-id")).toBe(answer.headers.get("x-chat-id"))
    expect(again.headers.get("x-message-id")).toBe(answer.headers.get("x-message-id"))
    expect(await again.text()).toBe("Hello.")
    expect(await charges()).toBe(1)
  })

  test("a request sent again while the first is being answered is 409, and asks the model nothing", async () => {
    const calling = server.model.nextCall()
    const first = ask("Hello?", "key-1")
    const call = await calling
    call.say("Hello")
    await expectProblem(await ask("Hello?", "key-1"), 409, "request_in_progress")
    call.complete()
    expect(await (await first).text()).toBe("Hello")
    expect(await charges()).toBe(1)
  })

  test("a reply that broke off is given again as far as it came, breaks off again, and is charged once", async () => {
    const calling = server.model.nextCall()
    const first = ask("Hello?", "key-1")
    const call = await calling
    call.say("As far as this.")
    const answer = await first
    call.fail("stalled")
    await expect(answer.text()).rejects.toThrow()
    const again = await ask("Hello?", "key-1")
    expect(again.headers.get("x-message-id")).toBe(answer.headers.get("x-message-id"))
    const reader = (again.body as ReadableStream<Uint8Array>).getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("As far as this.")
    await expect(reader.read()).rejects.toThrow()
    expect(await charges()).toBe(1)
  })

  test("another request under the same key is 422", async () => {
    const calling = server.model.nextCall()
    const first = ask("Hello?", "key-1")
    const call = await calling
    call.say("Hello.")
    call.complete()
    await (await first).text()
    await expectProblem(await ask("Something else", "key-1"), 422, "idempotency_conflict")
    expect(await charges()).toBe(1)
  })

  test("a key that is no plain text is 400", async () => {
    await expectProblem(await ask("Hello?", "with space"), 400, "invalid_request")
    await expectProblem(await ask("Hello?", "x".repeat(256)), 400, "invalid_request")
  })
})
