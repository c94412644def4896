import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"
const UUID = "00000000-0000-4000-8000-000000000000"
const said = (content: unknown, role: unknown = "user") => ({ messages: [{ role, content }] })

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(async () => {
  await server.requests.idle()
  expect(await server.parley.credits.balance(ANN)).toMatchObject({ held: 0, available: 100 })
  expect((await server.fetch("/healthz")).status).toBe(200)
})

describe("a chat body that is not valid is 422 and says where", () => {
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["nothing", "", "body"],
    ["broken JSON", '{"messages": [', "body"],
    ["a single number", "7", "body"],
    ["null", "null", "body"],
    ["an array", "[]", "body"],
    ["no messages", {}, "messages"],
    ["empty messages", { messages: [] }, "messages"],
    ["messages of the wrong type", { messages: "hello" }, "messages"],
    ["a message that is a text", { messages: ["hello"] }, "messages[0]"],
    ["an unknown role", said("hello", "root"), "messages[0].role"],
    ["a missing role", { messages: [{ content: "hello" }] }, "messages[0].role"],
    ["content that is a number", said(7), "messages[0].content"],
    ["content that is null", said(null), "messages[0].content"],
    ["NUL in content", said("a\0b"), "messages[0].content"],
    [
      "half of a surrogate pair in content",
      '{"messages":[{"role":"user","content":"\\ud83d"}]}',
      "messages[0].content"
    ],
    ["empty content", said("  "), "messages"],
    ["a last message by the assistant", said("hello", "assistant"), "messages"],
    ["too many messages", { messages: Array.from({ length: 1_001 }, () => said("x").messages[0]) }, "messages"],
    ["a chatId that is no UUID", { ...said("hello"), chatId: "1; drop table chats" }, "chatId"],
    ["a chatId that is a number", { ...said("hello"), chatId: 7 }, "chatId"],
    ["a chatId that is null", { ...said("hello"), chatId: null }, "chatId"],
    ["an unknown model", { ...said("hello"), modelId: "constructor" }, "modelId"],
    ["a model that is an object", { ...said("hello"), modelId: {} }, "modelId"],
    ["documentIds that are a text", { ...said("hello"), documentIds: UUID }, "documentIds"],
    ["a documentId that is no UUID", { ...said("hello"), documentIds: [UUID, "7"] }, "documentIds[1]"],
    ["too many documents", { ...said("hello"), documentIds: Array.from({ length: 1_001 }, () => UUID) }, "documentIds"]
  ]
  test.each(cases)("%s", async (_, body, path) => {
    const problem = await expectProblem(await server.post("/api/chat", body, ANN), 422, "invalid_chat_request")
    const issues = problem["issues"] as ReadonlyArray<{ path: string; message: string }>
    expect(issues.map((issue) => issue.path)).toContain(path)
    expect(JSON.stringify(problem)).not.toContain("drop table")
  })

  test("every problem is named at once", async () => {
    const body = { messages: [{ role: "root" }], chatId: "x", documentIds: ["y"] }
    const { issues } = await expectProblem(await server.post("/api/chat", body, ANN), 422, "invalid_chat_request")
    expect(issues).toHaveLength(4)
  })

  test.each([
    ["half a million messages", `{"messages":[${"1,".repeat(500_000)}1]}`],
    ["half a million documents", `{"messages":[],"documentIds":[${"1,".repeat(500_000)}1]}`],
    ["a thousand messages, all wrong", { messages: Array.from({ length: 1_000 }, () => ({ role: 1 })) }]
  ])("%s are answered in a few words", async (_, body) => {
    const problem = await expectProblem(await server.post("/api/chat", body, ANN), 422, "invalid_chat_request")
    expect(JSON.stringify(problem).length).toBeLessThan(8_000)
  })

  test.each([
    ["form data", "application/x-www-form-urlencoded"],
    ["plain text, as a cross-site form would send", "text/plain"],
    ["multipart", "multipart/form-data; boundary=x"]
  ])("%s instead of JSON", async (_, type) => {
    const response = await server.fetch("/api/chat", {
      method: "POST",
      user: ANN,
      body: JSON.stringify(said("hello")),
      headers: { "content-type": type }
    })
    await expectProblem(response, 422, "invalid_chat_request")
  })

  test("bytes that are not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from('{"messages":[{"role":"user","content":"'), Buffer.from([0xff, 0xfe])])
    const headers = { "content-type": "application/json" }
    const response = await server.fetch("/api/chat", { method: "POST", user: ANN, body: bytes, headers })
    await expectProblem(response, 422, "invalid_chat_request")
  })

  test("a compressed body", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" }
    const response = await server.fetch("/api/chat", { method: "POST", user: ANN, body: "x", headers })
    await expectProblem(response, 422, "invalid_chat_request")
  })

  test("JSON nested half a million deep is refused and delays no other request", async () => {
    const deep = "[".repeat(500_000) + "]".repeat(500_000)
    await expectProblem(await server.post("/api/chat", deep, ANN), 422, "invalid_chat_request")
    const inside = `{"messages":[{"role":"user","content":${"[".repeat(200_000) + "]".repeat(200_000)}}]}`
    await expectProblem(await server.post("/api/chat", inside, ANN), 422, "invalid_chat_request")
  })
})

describe("what is sent along and not asked for", () => {
  test("unknown fields, identities and prototypes are ignored", async () => {
    const user = "mallory"
    const body = `{"messages":[{"role":"user","content":"hi","tier":"business"}],"userId":"${ANN}","tier":"business",
      "__proto__":{"modelId":"model-a"},"constructor":{"prototype":{"admin":true}}}`
    const response = await server.post("/api/chat", body, user)
    expect(response.status).toBe(200)
    await response.text()
    expect(await server.parley.credits.balance(user)).toMatchObject({ available: 99 })
    expect(({} as Record<string, unknown>)["admin"]).toBe(undefined)
  })
})

describe("bodies over the limit", () => {
  test("a JSON body over 1 MiB is 413, with a declared length or without", async () => {
    const big = JSON.stringify(said("x".repeat(1024 * 1024)))
    expect(await expectProblem(await server.post("/api/chat", big, ANN), 413, "payload_too_large")).toMatchObject({
      limit: 1024 * 1024
    })
    await expectProblem(await server.post("/api/rag", big, ANN), 413, "payload_too_large")
    const streamed = { body: new Blob([big]).stream(), duplex: "half" } as RequestInit
    const headers = { "content-type": "application/json" }
    const untold = await server.fetch("/api/chat", { method: "POST", user: ANN, headers, ...streamed })
    await expectProblem(untold, 413, "payload_too_large")
  })

  test("the answer comes before the body has been sent", async () => {
    const raw = await openRaw(server.port)
    const headers = { cookie: await cookieFor(ANN), "content-type": "application/json" }
    raw.socket.write(rawPost("/api/chat", { ...headers, "content-length": "900000000" }, "{"))
    await raw.until("413 Payload Too Large")
    raw.socket.destroy()
  })
})

describe("parameters that are not valid are 400 and say which", () => {
  const queries = [
    ["limit", "limit=0"],
    ["limit", "limit=201"],
    ["limit", "limit=-1"],
    ["limit", "limit=1.5"],
    ["limit", "limit=1e2"],
    ["limit", "limit=NaN"],
    ["limit", "limit="],
    ["limit", "limit=%20"],
    ["limit", "limit=5&limit=6"],
    ["limit", "limit=%E0%A4%A"],
    ["offset", "offset=-1"],
    ["offset", "offset=100000000000000000000"],
    ["offset", "offset=x"],
    ["offset", "offset=0&offset=0"]
  ] as const
  test.each(
    queries.flatMap(([path, query]) => ["/api/chats", "/api/billing/credit-history"].map((at) => [at, query, path]))
  )("%s?%s", async (at, query, path) => {
    const response = await server.fetch(`${at}?${query}`, { user: ANN })
    const problem = await expectProblem(response, 400, "invalid_request")
    expect(problem["issues"]).toMatchObject([{ path }])
  })

  test("limits at their bounds are accepted", async () => {
    for (const query of ["limit=1", "limit=200", "offset=9007199254740991", "limit[]=7", "unknown=1&unknown=2"]) {
      expect((await server.fetch(`/api/billing/credit-history?${query}`, { user: ANN })).status).toBe(200)
    }
  })

  test("a type twice, or with NUL, is 400", async () => {
    for (const query of ["type=usage&type=reset", "type=%00"]) {
      const response = await server.fetch(`/api/billing/credit-history?${query}`, { user: ANN })
      await expectProblem(response, 400, "invalid_request")
    }
  })

  test.each(["7", "%00", "..%2f..%2fetc", "constructor", `${UUID}%27`, `{${UUID}}`])("id %s", async (id) => {
    for (const path of [`/api/chats/${id}`, `/api/documents/${id}`]) {
      for (const method of ["GET", "DELETE"]) {
        await expectProblem(await server.fetch(path, { method, user: ANN }), 400, "invalid_request")
      }
    }
  })

  test("a path that cannot be decoded", async () => {
    await expectProblem(await server.fetch("/api/chats/%E0%A4%A", { user: ANN }), 400, "invalid_request")
  })

  test("an id in upper case is the same id", async () => {
    const reply = await server.post("/api/chat", said("hi"), "upper")
    await reply.text()
    const path = `/api/chats/${(reply.headers.get("x-chat-id") ?? "").toUpperCase()}`
    expect((await server.fetch(path, { user: "upper" })).status).toBe(200)
  })
})

describe("other JSON routes", () => {
  test.each([
    ["", 400],
    ["{", 400],
    ["null", 400],
    ['{"documentId":7}', 400],
    ['{"documentId":null}', 400]
  ])("POST /api/rag %s is %i", async (body, status) => {
    await expectProblem(await server.post("/api/rag", body, ANN), status, "invalid_request")
  })
})

describe("what is hardly HTTP", () => {
  test.each([
    ["garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n"],
    ["two lengths", "POST /api/chat HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabc"],
    [
      "length and chunks",
      "POST /api/chat HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n"
    ],
    ["a header without a colon", "GET /healthz HTTP/1.1\r\nhost: x\r\nbroken\r\n\r\n"],
    ["a Host with a space", "GET /healthz HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n"],
    ["a Host with a path", "GET /pages HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n"]
  ])("%s is 400 as problem details", async (_, bytes) => {
    const raw = await openRaw(server.port)
    raw.socket.write(bytes, "latin1")
    await raw.closed
    expect(raw.received()).toMatch(/^HTTP\/1\.1 400 /)
    expect(raw.received()).toContain("application/problem+json")
    expect(raw.received().toLowerCase()).toContain("x-content-type-options: nosniff")
  })

  test("more cookies than a head may have are 431, on a connection that was used before, too", async () => {
    const tooMany = `GET /healthz HTTP/1.1\r\nhost: x\r\ncookie: ${"a=b; ".repeat(4_000)}\r\n\r\n`
    for (const before of ["", "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"]) {
      const raw = await openRaw(server.port)
      raw.socket.write(before)
      if (before !== "") await raw.until('"ok"')
      raw.socket.write(tooMany)
      await raw.closed
      expect(raw.received()).toContain("HTTP/1.1 431 ")
      expect(raw.received()).toMatch(/"code":"head_too_large".*16 kB.*cookies/)
    }
  })

  test("a client that leaves while it sends a JSON body leaves nothing behind", async () => {
    const raw = await openRaw(server.port)
    const headers = { cookie: await cookieFor(ANN), "content-type": "application/json", "content-length": "1000" }
    raw.socket.write(rawPost("/api/chat", headers, '{"messages"'))
    await expect.poll(() => server.requests.size).toBe(1)
    raw.socket.destroy()
    await server.requests.idle()
  })
})
