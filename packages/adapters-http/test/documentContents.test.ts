import { DocumentParser } from "@parley/core/adapter"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { surfaces } from "./support/surfaces.ts"

const MIB = 1024 * 1024

/** Reads bytes as text, each line of which is a page. */
const lineParser = DocumentParser.of({
  parse: ({ bytes }) =>
    Effect.sync(() => {
      const text = new TextDecoder().decode(bytes)
      return { text, pageStarts: [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)] }
    })
})

const upload = async (server: TestServer, user: string, name: string, content: BlobPart) => {
  const form = new FormData()
  form.set("file", new File([content], name))
  const uploaded = await server.fetch("/api/upload", { method: "POST", user, body: form })
  const { documentId } = (await uploaded.json()) as { documentId: string }
  return documentId
}

const untilDone = async (server: TestServer, user: string, id: string) => {
  for (;;) {
    const document = (await (await server.fetch(`/api/documents/${id}`, { user })).json()) as { status: string }
    if (document.status !== "processing") return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("GET /api/documents/{id}/text", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ parley: { parser: lineParser } })
  })
  afterAll(() => server.close())

  const uploaded = async (user: string, content: string) => {
    const id = await upload(server, user, "notes.txt", content)
    await untilDone(server, user, id)
    return id
  }
  const textOf = async (user: string, id: string, query = "") =>
    (await (await server.fetch(`/api/documents/${id}/text${query}`, { user })).json()) as {
      from: number
      to: number
      length: number
      text: string
    }

  test("gives the text around a cited passage, with the pages it is on", async () => {
    const content = "The cat sat.\nThe \u{1F431} slept.\nThe dog ran."
    const id = await uploaded("reader", content)
    expect(await textOf("reader", id, "?from=4&to=16")).toEqual({
      documentId: id,
      filename: "notes.txt",
      type: "txt",
      from: 4,
      to: 16,
      length: content.length,
      text: "cat sat.\nThe",
      pages: [
        { page: 1, start: 0, end: 13 },
        { page: 2, start: 13, end: 27 }
      ]
    })
    expect(await textOf("reader", id)).toMatchObject({ from: 0, to: content.length, text: content })
    expect(await textOf("reader", id, "?from=18&to=19")).toMatchObject({ from: 17, to: 19, text: "\u{1F431}" })
    expect(await textOf("reader", id, "?from=999")).toMatchObject({ text: "", length: content.length })
  })

  test("a long text comes in bounded stretches that fit together", async () => {
    const content = "word ".repeat(40_000)
    const id = await uploaded("novelist", content)
    let whole = ""
    for (let stretches = 0; whole.length < content.length; stretches += 1) {
      expect(stretches).toBeLessThan(4)
      const { from, text, to } = await textOf("novelist", id, `?from=${whole.length}&to=2147483000`)
      expect(from).toBe(whole.length)
      expect(text.length).toBeLessThanOrEqual(65_536)
      expect(to).toBe(from + text.length)
      whole += text
    }
    expect(whole).toBe(content)
  })

  test("a document that has no text yet is 409; offsets that are none are 400", async () => {
    const idle = await startServer({ parley: { work: ["holds"] } })
    const id = await upload(idle, "ann", "notes.txt", "The cat sat.")
    await expectProblem(await idle.fetch(`/api/documents/${id}/text`, { user: "ann" }), 409, "document_not_indexed")
    for (const query of ["from=-1", "from=x", "to=-1", "to=", "from=9999999999"]) {
      await expectProblem(
        await idle.fetch(`/api/documents/${id}/text?${query}`, { user: "ann" }),
        400,
        "invalid_request"
      )
    }
    await idle.close()
  })
})

describe.each(surfaces)("GET /api/documents/{id}/file, over %s", (_, surface) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ surface, parley: { work: ["holds"], uploads: { types: ["pdf", "html", "txt"] } } })
  })
  afterAll(() => server.close())

  test("gives the bytes as they were uploaded, and nothing in them can run", async () => {
    const bytes = new Uint8Array(2 * MIB + 777).map((_byte, index) => (index * 31 + (index >> 8) * 17) & 0xff)
    bytes.set(new TextEncoder().encode("%PDF-1.7\n"))
    const id = await upload(server, "ann", "R\u00e9sum\u00e9 '100%'.pdf", bytes)
    const response = await server.fetch(`/api/documents/${id}/file`, { user: "ann" })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(bytes.byteLength),
      "accept-ranges": "bytes",
      "content-disposition":
        "inline; filename=\"R_sum_ '100_'.pdf\"; filename*=UTF-8''R%C3%A9sum%C3%A9%20%27100%25%27.pdf",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox/),
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store"
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test("is a download for everything but a pdf, and a page of HTML is bytes alone", async () => {
    const page = "<!doctype html><html><body><script>alert(1)</script></body></html>"
    const id = await upload(server, "ann", "page.html", page)
    const response = await server.fetch(`/api/documents/${id}/file`, { user: "ann" })
    expect(response.headers.get("content-type")).toBe("application/octet-stream")
    expect(response.headers.get("content-disposition")).toBe(
      "attachment; filename=\"page.html\"; filename*=UTF-8''page.html"
    )
    expect(await response.text()).toBe(page)
  })

  test("gives the part that is asked for, in the same safe form, and the whole where it cannot tell which", async () => {
    const bytes = new Uint8Array(700_000).map((_byte, index) => (index * 31 + (index >> 8) * 17) & 0xff)
    bytes.set(new TextEncoder().encode("%PDF-1.7\n"))
    const id = await upload(server, "ann", "parts.pdf", bytes)
    const part = async (range: string, headers: Record<string, string> = {}) => {
      const response = await server.fetch(`/api/documents/${id}/file`, { user: "ann", headers: { range, ...headers } })
      return { response, body: Buffer.from(await response.arrayBuffer()) }
    }
    for (const [range, from, to] of [
      ["bytes=0-0", 0, 1],
      ["bytes=10-600010", 10, 600_011],
      ["bytes=699990-", 699_990, 700_000],
      ["bytes=-7", 699_993, 700_000],
      ["bytes=5-99999999", 5, 700_000],
      ["bytes=-99999999", 0, 700_000]
    ] as const) {
      const { body, response } = await part(range)
      expect([range, response.status, response.headers.get("content-range")]).toEqual([
        range,
        206,
        `bytes ${from}-${to - 1}/700000`
      ])
      expect(response.headers.get("content-length")).toBe(String(to - from))
      expect(response.headers.get("content-security-policy")).toMatch(/sandbox/)
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      expect(body.equals(Buffer.from(bytes.subarray(from, to)))).toBe(true)
    }
    for (const range of [
      "bytes=0-1,5-6",
      "bytes=6-5",
      "lines=1-2",
      "bytes=-",
      "bytes=a-b",
      "bytes=700000-",
      "bytes=-0"
    ]) {
      const { body, response } = await part(range)
      expect([range, response.status, body.byteLength]).toEqual([range, 200, 700_000])
    }
    expect((await part("bytes=0-1", { "if-range": '"x"' })).response.status).toBe(200)
    const foreign = await server.fetch(`/api/documents/${id}/file`, { user: "bob", headers: { range: "bytes=0-1" } })
    await expectProblem(foreign, 404, "document_not_found")
  })

  test("the head alone is the same without the bytes", async () => {
    const id = await upload(server, "ann", "notes.txt", "The cat sat.")
    const head = await server.fetch(`/api/documents/${id}/file`, { user: "ann", method: "HEAD" })
    expect(head.status).toBe(200)
    expect(head.headers.get("content-length")).toBe("12")
    expect(await head.text()).toBe("")
  })

  test("is its owner's alone", async () => {
    const id = await upload(server, "ann", "notes.txt", "The cat sat.")
    await expectProblem(await server.fetch(`/api/documents/${id}/file`, { user: "bob" }), 404, "document_not_found")
  })
})
