import { readdirSync, readFileSync } from "node:fs"
import { ChatRequest } from "@parley/core"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { shapeOf } from "../src/body/JsonShape.ts"
import { JsonThread } from "../src/body/JsonThread.ts"
import { pruneJson } from "../src/body/pruneJson.ts"
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

const hello = { role: "user", content: "Hello?" }
const nested = `[${'[[],{"a":[1,2]}],'.repeat(50_000)}1]`

test("of a large body, what a chat request reads is kept and the rest is not", () => {
  const body = {
    messages: [{ ...hello, extra: [1] }, 7, [hello]],
    chatId: { id: [1] },
    other: [[1]],
    documentIds: ["a"]
  }
  expect(pruneJson(body, shapeOf(ChatRequest))).toEqual({
    messages: [hello, 7, []],
    chatId: {},
    documentIds: ["a"]
  })
  const long = pruneJson({ messages: Array.from({ length: 5_000 }, () => hello) }, shapeOf(ChatRequest))
  expect(long).toMatchObject({ messages: { length: 1_001 } })
  expect(pruneJson(JSON.parse('{"__proto__":{"messages":[]},"messages":[]}'), shapeOf(ChatRequest))).toEqual({
    messages: []
  })
})

test("large bodies are answered as small ones are", async () => {
  const long = { messages: [{ role: "user", content: "word ".repeat(10_000) }] }
  expect((await server.post("/api/chat", long, ANN)).status).toBe(200)
  const ignored = `{"messages":[{"role":"user","content":"Hello?"}],"ignored":${nested}}`
  expect(await (await server.post("/api/chat", ignored, ANN)).text()).toBe("Hello there.")
  for (const [body, path] of [
    [nested, "body"],
    [nested.slice(0, -1), "body"],
    [`{"messages":${nested}}`, "messages"],
    [`{"messages":[{"role":"user","content":${nested}}]}`, "messages[0].content"],
    [`{"messages":[{"role":"user","content":"Hello?"}],"chatId":${nested}}`, "chatId"],
    [`{"messages":"${"x".repeat(40_000)}"}`, "messages"]
  ] as const) {
    const problem = await expectProblem(await server.post("/api/chat", body, ANN), 422, "invalid_chat_request")
    expect(problem["issues"]).toMatchObject([{ path }])
  }
  const invalid = Buffer.concat([Buffer.from('{"messages":"'), Buffer.alloc(40_000, 0xff), Buffer.from('"}')])
  const init = { method: "POST", user: ANN, body: invalid, headers: { "content-type": "application/json" } }
  await expectProblem(await server.fetch("/api/chat", init), 422, "invalid_chat_request")
  await expectProblem(await server.post("/api/rag", `{"documentId":${nested}}`, ANN), 400, "invalid_request")
})

test("large texts of one person wait for each other, not those of others for all of them", async () => {
  const thread = new JsonThread()
  const order: Array<string> = []
  const ask = async (person: string) => {
    await Effect.runPromise(thread.parse(person, { bytes: Buffer.from(nested), shape: "plain" }))
    order.push(person)
  }
  await Promise.all([...Array.from({ length: 10 }, () => ask("eve")), ask("bob")])
  expect(order.indexOf("bob")).toBeLessThan(3)
})

test("after a large text its sender rests, and who comes meanwhile goes first", async () => {
  const thread = new JsonThread()
  const order: Array<string> = []
  const ask = async (person: string, text: string) => {
    await Effect.runPromise(thread.parse(person, { bytes: Buffer.from(text), shape: "plain" }))
    order.push(person)
  }
  const first = ask("eve", nested)
  const second = ask("eve", nested)
  await first
  await ask("bob", "[1]")
  expect(order).toEqual(["eve", "bob"])
  await second
})

test.runIf(process.platform === "linux")("the thread that parses has a lower priority than the server", async () => {
  const thread = new JsonThread()
  const parsed = Effect.runPromise(thread.parse("ann", { bytes: Buffer.from(nested), shape: "plain" }))
  const niceOf = (stat: string) => Number(stat.split(") ").at(-1)?.split(" ")[16])
  const niceness = () =>
    readdirSync("/proc/self/task")
      .map((task) => readFileSync(`/proc/self/task/${task}/stat`, "utf8"))
      .filter((stat) => stat.includes("(parley-json)"))
      .map(niceOf)
  await parsed
  expect(niceness()).not.toEqual([])
  expect(new Set(niceness())).toEqual(new Set([Math.min(19, niceOf(readFileSync("/proc/self/stat", "utf8")) + 5)]))
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

test("a text without a waiting request is not parsed", async () => {
  const thread = new JsonThread()
  const first = Effect.runPromise(thread.parse("ann", { bytes: Buffer.from("[1]"), shape: "plain" }))
  const left = new AbortController()
  const abandoned = Effect.runPromiseExit(thread.parse("ann", { bytes: Buffer.from("[2]"), shape: "plain" }), {
    signal: left.signal
  })
  left.abort()
  expect(await abandoned).toMatchObject({ _tag: "Failure" })
  expect(await first).toEqual({ ok: true, value: [] })
})
