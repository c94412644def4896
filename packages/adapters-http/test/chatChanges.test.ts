import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const NOWHERE = "00000000-0000-4000-8000-000000000000"

let server: TestServer
beforeAll(async () => {
  server = await startServer({
    parley: { work: ["holds"], config: { tiers: { free: { monthlyCredits: 10_000, maxDocuments: 2_000 } } } }
  })
})
afterAll(() => server.close())

let people = 0
const somebody = () => `changer-${(people += 1)}`

const upload = async (user: string, name = "notes.txt") => {
  const form = new FormData()
  form.set("file", new File(["The cat sat on the mat."], name))
  const uploaded = await server.fetch("/api/upload", { method: "POST", user, body: form })
  return ((await uploaded.json()) as { documentId: string }).documentId
}

const talk = async (user: string, content = "Hello?", more: object = {}) => {
  const reply = await server.post("/api/chat", { messages: [{ role: "user", content }], ...more }, user)
  await reply.text()
  return reply.headers.get("x-chat-id") ?? ""
}

const send = (method: string, path: string, body: unknown, user: string) =>
  server.fetch(path, {
    method,
    user,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" }
  })

const chatOf = async (user: string, id: string) =>
  (await (await server.fetch(`/api/chats/${id}`, { user })).json()) as { title: string; documentIds: Array<string> }

describe("PATCH /api/chats/{id}", () => {
  test("gives a chat another title, trimmed and in one line", async () => {
    const user = somebody()
    const id = await talk(user)
    const renamed = await send("PATCH", `/api/chats/${id}`, { title: "  About\n the \u{1F431}  ", owner: "bob" }, user)
    expect(renamed.status).toBe(200)
    expect(await renamed.json()).toMatchObject({ id, title: "About the \u{1F431}" })
    expect((await chatOf(user, id)).title).toBe("About the \u{1F431}")
    const listed = await (await server.fetch("/api/chats", { user })).json()
    expect(listed).toMatchObject({ chats: [{ id, title: "About the \u{1F431}" }] })
  })

  test("a title of 200 characters is taken; a blank or longer one, or none, is 400 and changes nothing", async () => {
    const user = somebody()
    const id = await talk(user)
    const longest = "\u{1F431}".repeat(200)
    expect((await send("PATCH", `/api/chats/${id}`, { title: longest }, user)).status).toBe(200)
    for (const title of ["", " \n\t ", `${longest}x`]) {
      const problem = await expectProblem(
        await send("PATCH", `/api/chats/${id}`, { title }, user),
        400,
        "invalid_chat_change"
      )
      expect(problem["issues"]).toMatchObject([{ path: "title" }])
    }
    for (const body of [{}, { title: 1 }, { title: null }, []]) {
      await expectProblem(await send("PATCH", `/api/chats/${id}`, body, user), 400, "invalid_request")
    }
    expect((await chatOf(user, id)).title).toBe(longest)
  })

  test("an unknown chat is 404", async () => {
    await expectProblem(
      await send("PATCH", `/api/chats/${NOWHERE}`, { title: "Hello" }, somebody()),
      404,
      "chat_not_found"
    )
  })
})

describe("PUT /api/chats/{id}/documents", () => {
  test("keeps documents with a chat, also those in work, and gives each once", async () => {
    const user = somebody()
    const [one, two] = [await upload(user), await upload(user)]
    const id = await talk(user)
    const documentIds = [two, one.toUpperCase(), one]
    const kept = await send("PUT", `/api/chats/${id}/documents`, { documentIds }, user)
    expect(kept.status).toBe(200)
    expect(await kept.json()).toEqual({ documentIds: [two, one] })
    expect((await chatOf(user, id)).documentIds).toEqual([two, one])
    await (await send("PUT", `/api/chats/${id}/documents`, { documentIds: [] }, user)).text()
    expect((await chatOf(user, id)).documentIds).toEqual([])
  })

  test("where none were ever kept, a chat has those of its last request", async () => {
    const user = somebody()
    const [one, two] = [await upload(user), await upload(user)]
    const chatId = await talk(user, "Hello?", { documentIds: [one] })
    expect((await chatOf(user, chatId)).documentIds).toEqual([one])
    await talk(user, "And?", { chatId, documentIds: [two, one] })
    expect((await chatOf(user, chatId)).documentIds).toEqual([two, one])
    await (await send("PUT", `/api/chats/${chatId}/documents`, { documentIds: [one] }, user)).text()
    await talk(user, "And now?", { chatId })
    expect((await chatOf(user, chatId)).documentIds).toEqual([one])
  })

  test("a document that was deleted is no longer given", async () => {
    const user = somebody()
    const [one, two] = [await upload(user), await upload(user)]
    const id = await talk(user)
    await (await send("PUT", `/api/chats/${id}/documents`, { documentIds: [one, two] }, user)).text()
    await server.fetch(`/api/documents/${one}`, { method: "DELETE", user })
    expect((await chatOf(user, id)).documentIds).toEqual([two])
  })

  test("a foreign document is 403, an unknown one 404, more than 1,000 or no ids 400; and nothing changes", async () => {
    const user = somebody()
    const [own, foreign] = [await upload(user), await upload(somebody())]
    const id = await talk(user, "Hello?", { documentIds: [own] })
    const path = `/api/chats/${id}/documents`
    const put = (documentIds: unknown) => send("PUT", path, { documentIds }, user)
    await expectProblem(await put([own, foreign]), 403, "document_forbidden")
    await expectProblem(await put([own, NOWHERE]), 404, "document_not_found")
    for (const documentIds of [["7"], "7", undefined, Array.from({ length: 1_001 }, () => own)]) {
      await expectProblem(await put(documentIds), 400, "invalid_request")
    }
    expect((await chatOf(user, id)).documentIds).toEqual([own])
    expect((await put(Array.from({ length: 1_000 }, () => own))).status).toBe(200)
    await expectProblem(
      await send("PUT", `/api/chats/${NOWHERE}/documents`, { documentIds: [] }, user),
      404,
      "chat_not_found"
    )
  })
})

describe("GET /api/chats?search=", () => {
  test("gives the chats with the text in their title or their messages, with the paging of all", async () => {
    const user = somebody()
    for (const content of ["About cats", "About dogs", "The CATS again"]) await talk(user, content)
    const search = async (query: string) =>
      (await (await server.fetch(`/api/chats?${query}`, { user })).json()) as { chats: Array<{ title: string }> }
    const titles = async (query: string) => (await search(query)).chats.map(({ title }) => title)
    expect(await titles("search=cats")).toEqual(["The CATS again", "About cats"])
    expect(await titles("search=%20cats%20&limit=1&offset=1")).toEqual(["About cats"])
    expect(await search("search=cats&limit=1")).toMatchObject({ total: 2, limit: 1, offset: 0 })
    expect(await titles("search=Hello%20there")).toHaveLength(3)
    expect(await titles("search=")).toHaveLength(3)
    expect(await titles("search=birds")).toEqual([])
    const talked = await talk(user, "Where do **storks**\nnest?")
    const [{ found }] = (await search("search=STORKS%2A%2A")).chats as unknown as [
      { found: { messageId: string; excerpt: string; start: number; end: number } }
    ]
    expect(found.excerpt.slice(found.start, found.end)).toBe("storks**")
    const read = await server.fetch(`/api/chats/${talked}?leaf=${found.messageId}`, { user })
    const { messages } = (await read.json()) as { messages: Array<{ id: string; content: string }> }
    expect(messages.find(({ id }) => id === found.messageId)?.content).toMatch(/storks/)
    expect(await search("search=nest")).not.toMatchObject({ chats: [{ owner: expect.anything() as unknown }] })
    expect((await search("")).chats[0]).not.toHaveProperty("found")
    const other = await server.fetch("/api/chats?search=storks", { user: somebody() })
    expect(await other.json()).toMatchObject({ chats: [], total: 0 })
    for (const query of [`search=${"x".repeat(201)}`, "search=%00", "search=a&search=b"]) {
      await expectProblem(await server.fetch(`/api/chats?${query}`, { user }), 400, "invalid_request")
    }
  })
})
