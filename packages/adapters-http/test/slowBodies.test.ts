import { afterEach, beforeEach, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw, type RawConnection, rawPost } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer, type TestServerOptions } from "./support/startServer.ts"
import { waitUntil } from "./support/waitUntil.ts"

const ANN = "ann"
const MIB = 1024 * 1024
const MULTIPART = "multipart/form-data; boundary=b"
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
const HELLO = { messages: [{ role: "user", content: "Hello?" }] }

let server: TestServer
const opened: Array<RawConnection> = []
const start = async (app: NonNullable<TestServerOptions["app"]> = {}) => {
  server = await startServer({ app })
}
beforeEach(() => opened.splice(0))
afterEach(async () => {
  for (const { socket } of opened) socket.destroy()
  await server.close()
})

/** Begins a request with a body of `length` bytes, of which only `body` is sent. */
const begin = async (path: string, type: string, length: number, body: string, user = ANN) => {
  const connection = await openRaw(server.port)
  opened.push(connection)
  const headers = { cookie: await cookieFor(user), "content-type": type, "content-length": String(length) }
  connection.socket.write(rawPost(path, headers, body))
  return connection
}

const upload = (user: string, content: string) => {
  const form = new FormData()
  form.set("file", new File([content], "a.txt"))
  return server.fetch("/api/upload", { method: "POST", user, body: form })
}

test("connections that announce uploads and send nothing stop no upload, not even their sender's", async () => {
  await start()
  for (let index = 0; index < 40; index++) await begin("/api/upload", MULTIPART, 16 * MIB, "")
  await waitUntil(() => server.requests.size === 40)
  expect((await upload("bob", "x".repeat(MIB))).status).toBe(200)
  expect((await upload(ANN, "x".repeat(MIB))).status).toBe(200)
})

test("unfinished uploads that fill the memory give way to those of others, and are refused", async () => {
  await start({ uploadMemoryBytes: 4 * MIB })
  const half = FILE + "x".repeat(2 * MIB)
  const hoarders = ["eve", "eva", "evi"]
  for (const user of hoarders) await begin("/api/upload", MULTIPART, 20 * MIB, half, user)
  await waitUntil(() => opened.some((connection) => connection.received().includes('"code":"server_busy"')))
  expect((await upload("bob", "x".repeat(MIB))).status).toBe(200)
})

test.each([
  ["JSON", "/api/chat", "application/json", '{"messages":'],
  ["a file", "/api/upload", MULTIPART, FILE]
])("a sender of %s that stops is answered 408 and its connection closed", async (_, path, type, body) => {
  await start({ bodyPace: { windowMs: 100, bytesPerWindow: 1_000 } })
  const connection = await begin(path, type, 10_000, body)
  await connection.until('"code":"request_too_slow"')
  expect(connection.received()).toMatch(/^HTTP\/1\.1 408 [^]*connection: close/i)
  await connection.closed
  await server.requests.idle()
})

test("a sender that goes on too slowly is ended as well", async () => {
  await start({ bodyPace: { windowMs: 200, bytesPerWindow: 1_000 } })
  const connection = await begin("/api/chat", "application/json", 100_000, "")
  const drip = setInterval(() => connection.socket.writable && connection.socket.write(" "), 10)
  await connection.until("HTTP/1.1 408 ")
  clearInterval(drip)
})

test("bodies that wait for memory behind a slow one are refused, and not held as long as that one goes on", async () => {
  const bodyPace = { windowMs: 60_000, bytesPerWindow: 1, heldBackMs: 100 }
  await start({ jsonMemoryBytes: 2 * MIB, bodyPace })
  const oldest = await begin("/api/chat", "application/json", MIB, " ", "eve")
  const held = await Promise.all(
    Array.from({ length: 4 }, () => begin("/api/chat", "application/json", MIB, " ".repeat(900_000), "eve"))
  )
  await Promise.all(held.map((connection) => connection.until('"code":"server_busy"')))
  expect(held[0]?.received()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: \d/i)
  expect(oldest.received()).toBe("")
})

test("where one person's unfinished JSON fills its memory, the small requests of all and the large ones of others go on", async () => {
  await start({ jsonMemoryBytes: 2 * MIB })
  for (let index = 0; index < 8; index++) await begin("/api/chat", "application/json", MIB, " ".repeat(900_000), "eve")
  await waitUntil(() => server.requests.size === 8)
  expect((await server.post("/api/chat", HELLO, "eve")).status).toBe(200)
  const long = { messages: [{ role: "user", content: "word ".repeat(20_000) }] }
  const answers = await Promise.all(["ann", "bob"].map((user) => server.post("/api/chat", long, user)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})

test("a person with the most concurrent requests is asked to wait; others are not", async () => {
  await start({ requestsPerPerson: 2 })
  const held = [
    await begin("/api/chat", "application/json", 100, "{"),
    await begin("/api/chat", "application/json", 100, "{")
  ]
  await waitUntil(() => server.requests.size === 2)
  const refused = await server.post("/api/chat", HELLO, ANN)
  expect(refused.headers.get("retry-after")).toBe("1")
  expect(await expectProblem(refused, 429, "too_many_requests")).toMatchObject({ limit: 2 })
  expect((await server.post("/api/chat", HELLO, "bob")).status).toBe(200)
  held[0]?.socket.destroy()
  await waitUntil(() => server.requests.size === 1)
  expect((await server.post("/api/chat", HELLO, ANN)).status).toBe(200)
})
