import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"
import { waitUntil } from "./support/waitUntil.ts"

const ANN = "ann"
const MIB = 1024 * 1024

let server: TestServer
beforeEach(async () => {
  server = await startServer()
})
afterEach(() => server.close())

const documents = () => server.parley.documents.list(ANN)

const send = (form: FormData) => server.fetch("/api/upload", { method: "POST", user: ANN, body: form })

const formOf = (...files: ReadonlyArray<readonly [string, BlobPart, string]>) => {
  const form = new FormData()
  for (const [field, content, name] of files) form.append(field, new File([content], name))
  return form
}

const sendRaw = async (contentType: string | undefined, body: string) =>
  server.fetch("/api/upload", {
    method: "POST",
    user: ANN,
    body: Buffer.from(body, "latin1"),
    ...(contentType === undefined ? {} : { headers: { "content-type": contentType } })
  })

const part = (disposition: string, content = "text") =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const FILE = 'name="file"; filename="a.txt"'
const MULTIPART = "multipart/form-data; boundary=b"

describe("forms that do not hold exactly one file are 400 and store nothing", () => {
  test.each([
    ["no file", new FormData()],
    ["two files", formOf(["file", "one", "1.txt"], ["file", "two", "2.txt"])],
    ["two files in two fields", formOf(["file", "one", "1.txt"], ["other", "two", "2.txt"])],
    ["a file in another field", formOf(["document", "one", "1.txt"])]
  ])("%s", async (_, form) => {
    const problem = await expectProblem(await send(form), 400, "invalid_upload")
    expect(problem["detail"]).toContain('in the field "file"')
    expect(await documents()).toEqual([])
  })

  test.each([
    ["no content type", undefined, "text"],
    ["JSON", "application/json", "{}"],
    ["a urlencoded form", "application/x-www-form-urlencoded", "file=x"],
    ["no boundary", "multipart/form-data", part(FILE)],
    ["an empty boundary", "multipart/form-data; boundary=", part(FILE)],
    ["another boundary", "multipart/form-data; boundary=c", `${part(FILE)}--b--\r\n`],
    ["an empty body", MULTIPART, ""],
    ["only the end", MULTIPART, "--b--\r\n"],
    ["no end", MULTIPART, part(FILE)],
    ["an end in mid-part", MULTIPART, part(FILE).slice(0, -5)],
    ["an end in mid-header", MULTIPART, "--b\r\nContent-Dispo"],
    ["a broken part header", MULTIPART, "--b\r\n\0\0: \r\n\r\nx\r\n--b--\r\n"],
    ["no disposition", MULTIPART, "--b\r\ncontent-type: text/plain\r\n\r\nx\r\n--b--\r\n"],
    ["an empty field name", MULTIPART, `${part('name=""; filename="a.txt"')}--b--\r\n`],
    ["a text in the field of the file", MULTIPART, `${part('name="file"')}--b--\r\n`],
    ["a thousand fields", MULTIPART, `${part('name="x"').repeat(1_000)}${part(FILE)}--b--\r\n`],
    ["a field named __proto__", MULTIPART, `${part('name="__proto__"; filename="a.txt"')}--b--\r\n`],
    ["a part header of a megabyte", MULTIPART, `${part(`name="${"x".repeat(MIB)}"`)}--b--\r\n`]
  ])("%s", async (_, contentType, body) => {
    await expectProblem(await sendRaw(contentType, body), 400, "invalid_upload")
    expect(await documents()).toEqual([])
  })
})

describe("files that cannot be accepted are 400 and store nothing", () => {
  test.each([
    ["an empty file", "", "a.txt", "empty"],
    ["a type that is not taken", "MZ", "a.exe", "type"],
    ["a name without a type", "text", "readme", "type"],
    ["a text that claims to be a pdf", "just text", "a.pdf", "contradiction"],
    ["a pdf that claims to be a text", "%PDF-1.7\n%âãÏÓ\n1 0 obj", "a.txt", "contradiction"]
  ])("%s", async (_, content, name, problem) => {
    const body = await expectProblem(await send(formOf(["file", content, name])), 400, "file_rejected")
    expect(body).toMatchObject({ problem })
    expect(await documents()).toEqual([])
  })

  test("a file of 21 MiB", async () => {
    const response = await send(formOf(["file", "x".repeat(21 * MIB), "a.txt"]))
    expect(await expectProblem(response, 400, "file_rejected")).toMatchObject({ problem: "too-large" })
    expect(await documents()).toEqual([])
  })

  test("uploads that do not fit into memory together wait for each other", async () => {
    const narrow = await startServer({ app: { uploadMemoryBytes: 300_000 } })
    const body = `${part(FILE, "x".repeat(250_000))}--b--\r\n`
    const headers = { cookie: await cookieFor(ANN), "content-type": MULTIPART }
    const slow = await openRaw(narrow.port)
    slow.socket.write(rawPost("/api/upload", { ...headers, "content-length": String(body.length) }, body.slice(0, -9)))
    await waitUntil(() => narrow.requests.size === 1)
    const waiting = await openRaw(narrow.port)
    waiting.socket.write(rawPost("/api/upload", headers, body))
    await waitUntil(() => narrow.requests.size === 2)
    const small = await narrow.fetch("/api/upload", { method: "POST", user: ANN, body: formOf(["file", "x", "a.txt"]) })
    expect(small.status).toBe(200)
    expect(waiting.received()).toBe("")
    slow.socket.destroy()
    await waiting.until("200 OK")
    waiting.socket.destroy()
    await narrow.close()
  })

  test("a file of exactly the limit is accepted, one byte more is not", async () => {
    const small = await startServer({ parley: { uploads: { maxBytes: 1_000 } } })
    const upload = (size: number) =>
      small.fetch("/api/upload", { method: "POST", user: ANN, body: formOf(["file", "x".repeat(size), "a.txt"]) })
    expect((await upload(1_000)).status).toBe(200)
    expect(await expectProblem(await upload(1_001), 400, "file_rejected")).toMatchObject({ problem: "too-large" })
    await small.close()
  })

  describe("over the limit, while it is still being sent", () => {
    const limit = 1_000
    const beginUpload = async (server: TestServer, length: number) => {
      const raw = await openRaw(server.port)
      const headers = { cookie: await cookieFor(ANN), "content-type": MULTIPART, "content-length": String(length) }
      const body = part(FILE, "x".repeat(2 * limit))
      raw.socket.write(rawPost("/api/upload", headers, body))
      await raw.until("400 Bad Request")
      await raw.until("file_rejected")
      await server.requests.idle()
      return { raw, rest: length - body.length }
    }

    test("it is answered at once, and the rest is read so that the connection can go on", async () => {
      const small = await startServer({ parley: { uploads: { maxBytes: limit } } })
      const { raw, rest } = await beginUpload(small, 16 * MIB)
      raw.socket.write("x".repeat(rest))
      raw.socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
      await raw.until('{"status":"ok"}')
      raw.socket.destroy()
      await small.close()
    })

    test("a client that sends without end is cut off", async () => {
      const small = await startServer({ parley: { uploads: { maxBytes: limit } } })
      const { raw } = await beginUpload(small, 1_000_000 * MIB)
      const piece = Buffer.alloc(MIB)
      let gone = false
      void raw.closed.then(() => {
        gone = true
      })
      while (!gone) {
        await new Promise<void>((resolve) => {
          const sent = raw.socket.write(piece, () => resolve())
          if (!sent) raw.socket.once("close", () => resolve())
        })
        await new Promise((resolve) => setImmediate(resolve))
      }
      await small.close()
    })
  })
})

describe("files that are accepted", () => {
  test("small fields beside the file are ignored", async () => {
    const form = formOf(["file", "text", "a.txt"])
    form.append("userId", "bob")
    expect((await send(form)).status).toBe(200)
    expect(await documents()).toMatchObject([{ filename: "a.txt", userId: ANN }])
  })

  test.each([
    ["日本.txt", "日本.txt"],
    ["../../etc/passwd.txt", "passwd.txt"],
    ["C:\\temp\\notes.txt", "notes.txt"]
  ])("the name %s is kept as %s", async (name, kept) => {
    const body = `${part(`name="file"; filename="${Buffer.from(name).toString("latin1")}"`)}--b--\r\n`
    const response = await sendRaw(MULTIPART, body)
    expect(await response.json()).toMatchObject({ filename: kept, status: "processing" })
  })

  test("bytes arrive as they were sent, in pieces of any size", async () => {
    const content = Array.from({ length: 20_000 }, (_, index) => `line ${index} \u{1f600}\r\n--\r\n-b\r`).join("")
    const raw = await openRaw(server.port)
    const body = `${part(FILE, Buffer.from(content).toString("latin1"))}--b--\r\n`
    const length = String(Buffer.from(body, "latin1").byteLength)
    const headers = { cookie: await cookieFor(ANN), "content-type": MULTIPART, "content-length": length }
    const bytes = Buffer.from(rawPost("/api/upload", headers, body), "latin1")
    for (let start = 0; start < bytes.length; start += 997) raw.socket.write(bytes.subarray(start, start + 997))
    await raw.until("documentId")
    raw.socket.destroy()
    expect(await documents()).toMatchObject([{ bytes: Buffer.byteLength(content) }])
  })
})

describe("clients that leave", () => {
  test.each([0, 1, 60, 120, 5_000])(
    "after %i bytes of the form: nothing is stored and nothing is left running",
    async (sent) => {
      const raw = await openRaw(server.port)
      const headers = { cookie: await cookieFor(ANN), "content-type": MULTIPART, "content-length": "1000000" }
      raw.socket.write(rawPost("/api/upload", headers, part(FILE, "x".repeat(10_000)).slice(0, sent)))
      await expect.poll(() => server.requests.size).toBe(1)
      raw.socket.destroy()
      await server.requests.idle()
      expect(await documents()).toEqual([])
      expect((await server.fetch("/healthz")).status).toBe(200)
    }
  )
})
