import { afterAll, beforeAll, expect, test } from "vitest"
import { hasTooManyParts, MAX_JSON_PARTS } from "../src/body/jsonBody.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { ModelCall } from "./support/ScriptedModel.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { waitUntil } from "./support/waitUntil.ts"

const ANN = "ann"
let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const nested = `[${'[[],{"a":[1,2]}],'.repeat(50_000)}1]`

/** A list of this many parts. */
const listOf = (parts: number) => `[${"1,".repeat(parts - 1)}1]`

test("a body of more objects, lists and fields than any request needs is refused", async () => {
  const message = "Expected at most 20,000 objects, lists and fields together"
  const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`
  for (const ignored of [nested, deep, listOf(20_000)]) {
    const chat = await server.post("/api/chat", `{"messages":[],"ignored":${ignored}}`, ANN)
    const problem = await expectProblem(chat, 422, "invalid_chat_request")
    expect(problem["issues"]).toEqual([{ path: "body", message }])
  }
  const problem = await expectProblem(await server.post("/api/rag", nested, ANN), 400, "invalid_request")
  expect(problem["issues"]).toEqual([{ path: "body", message }])
})

test("parts are counted outside texts only, up to the bound", () => {
  const isTooMuch = (text: string) => hasTooManyParts(Buffer.from(text))
  expect(isTooMuch(listOf(MAX_JSON_PARTS))).toBe(false)
  expect(isTooMuch(listOf(MAX_JSON_PARTS + 1))).toBe(true)
  const texts = [",:[{", '\\"', "\\", '\\\\\"', "é漢😀"].map((part) => JSON.stringify(part.repeat(10_000)))
  for (const text of texts) {
    expect(isTooMuch(text)).toBe(false)
    const about = `[${text},${listOf(MAX_JSON_PARTS - 2)}]`
    expect([isTooMuch(about), isTooMuch(about.replace("1]", "1,1]"))]).toEqual([false, true])
  }
})

test("large bodies are answered as small ones are", async () => {
  const long = { messages: [{ role: "user", content: "word ".repeat(10_000) }] }
  expect((await server.post("/api/chat", long, ANN)).status).toBe(200)
  const list = `[${'[[],{"a":[1,2]}],'.repeat(2_000)}"${"x".repeat(40_000)}"]`
  const ignored = `{"messages":[{"role":"user","content":"Hello?"}],"ignored":${list}}`
  expect(await (await server.post("/api/chat", ignored, ANN)).text()).toBe("Hello there.")
  for (const [body, path] of [
    [list, "body"],
    [list.slice(0, -1), "body"],
    [`{"messages":${list}}`, "messages"],
    [`{"messages":[{"role":"user","content":${list}}]}`, "messages[0].content"],
    [`{"messages":[{"role":"user","content":"Hello?"}],"chatId":${list}}`, "chatId"],
    [`{"messages":"${"x".repeat(40_000)}"}`, "messages"]
  ] as const) {
    const problem = await expectProblem(await server.post("/api/chat", body, ANN), 422, "invalid_chat_request")
    expect(problem["issues"]).toMatchObject([{ path }])
  }
  const invalid = Buffer.concat([Buffer.from('{"messages":"'), Buffer.alloc(40_000, 0xff), Buffer.from('"}')])
  const init = { method: "POST", user: ANN, body: invalid, headers: { "content-type": "application/json" } }
  await expectProblem(await server.fetch("/api/chat", init), 422, "invalid_chat_request")
  await expectProblem(await server.post("/api/rag", `{"documentId":${list}}`, ANN), 400, "invalid_request")
})

test("after a large body its sender rests, and who comes meanwhile goes first", async () => {
  const order: Array<string> = []
  const post = async (user: string) => {
    await server.post("/api/rag", { documentId: "x", ignored: "é".repeat(400_000) }, user)
    order.push(user)
  }
  await Promise.all([...Array.from({ length: 10 }, () => post("eve")), post("bob")])
  expect(order.indexOf("bob")).toBeLessThan(6)
})

test("a character between two slices of a body is read whole", async () => {
  for (const padding of ["", "x", "xx"]) {
    const sent = { messages: [{ role: "user", content: "Hello?" }], padding, ignored: "漢".repeat(200_000) }
    expect((await server.post("/api/chat", sent, ANN)).status).toBe(200)
  }
})

test("the memory of one person's large bodies is bounded until they are answered, and delays no other person's", async () => {
  const slow = await startServer()
  const calls: Array<ModelCall> = []
  slow.model.answer = (request) => {
    const call = new ModelCall(request)
    calls.push(call)
    return call.stream
  }
  const post = async (user: string, content: string) => {
    const megabyte = { messages: [{ role: "user", content }], ignored: "x".repeat(1_000_000) }
    return (await slow.post("/api/chat", megabyte, user)).text()
  }
  const asked = (content: string) =>
    calls.filter(({ request }) => request.messages.some((message) => message.content === content)).length
  const answers = Array.from({ length: 12 }, () => post("eve", "Eve's"))
  await waitUntil(() => slow.requests.size === 12 && asked("Eve's") >= 1)
  const bobs = post("bob", "Bob's")
  await waitUntil(() => asked("Bob's") === 1)
  // Four megabytes, and one body that began before they were full; fewer if they came at the same time.
  expect(asked("Eve's")).toBeLessThanOrEqual(5)
  const told = new Set<ModelCall>()
  const isHeld = (call: ModelCall) => !told.has(call)
  while (told.size < 13) {
    await waitUntil(() => calls.some(isHeld))
    for (const call of calls.filter(isHeld)) {
      told.add(call)
      call.say("Hello.")
      call.complete()
    }
  }
  expect(await Promise.all([bobs, ...answers])).toEqual(Array.from({ length: 13 }, () => "Hello."))
  await slow.close()
})
