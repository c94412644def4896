import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const NOWHERE = "00000000-0000-4000-8000-000000000000"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ parley: { work: ["holds", "jobs"] } })
})
afterAll(() => server.close())

let people = 0
const somebody = () => `sharer-${(people += 1)}`

interface SharedBody {
  readonly title: string
  readonly messages: ReadonlyArray<{ readonly content: string; readonly sources: ReadonlyArray<object> }>
}

const ask = async (user: string, content: string, more: object = {}) => {
  const reply = await server.post("/api/chat", { messages: [{ role: "user", content }], ...more }, user)
  expect(reply.status).toBe(200)
  await reply.text()
  return { chatId: reply.headers.get("x-chat-id") ?? "", messageId: reply.headers.get("x-message-id") ?? "" }
}

const send = (method: string, path: string, user: string, body?: unknown) =>
  server.fetch(path, {
    method,
    user,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })

const chatOf = async (user: string, id: string) =>
  (await (await server.fetch(`/api/chats/${id}`, { user })).json()) as {
    share: { id: string; upTo: string } | null
    messages: ReadonlyArray<{ id: string; rating: object | null }>
  }

const shared = (id: string) => server.fetch(`/api/shared/${id}`)
const contentsOf = async (id: string) =>
  ((await (await shared(id)).json()) as SharedBody).messages.map(({ content }) => content)

describe("a shared chat", () => {
  test("is read without signing in, up to the message that was the last, until its owner ends the share", async () => {
    const user = somebody()
    const { chatId, messageId } = await ask(user, "The first question?")
    const answered = await send("PUT", `/api/chats/${chatId}/share`, user, {})
    expect(answered.status).toBe(200)
    const share = (await answered.json()) as { id: string; upTo: string }
    expect(share.upTo).toBe(messageId)
    expect(share.id).toMatch(/^[0-9a-z]{32}$/)
    await ask(user, "A private question?", { chatId })
    const read = await shared(share.id)
    expect(read.headers.get("x-robots-tag")).toBe("noindex")
    expect(read.headers.get("cache-control")).toContain("no-store")
    const text = await read.text()
    expect(text).toContain("The first question?")
    expect(text).not.toContain("private")
    expect(text).not.toContain(user)
    expect((await chatOf(user, chatId)).share).toMatchObject(share)
    const renewed = (await (await send("PUT", `/api/chats/${chatId}/share`, user, {})).json()) as typeof share
    expect(renewed.id).toBe(share.id)
    expect((await contentsOf(share.id))[2]).toBe("A private question?")
    expect((await send("DELETE", `/api/chats/${chatId}/share`, user)).status).toBe(204)
    await expectProblem(await shared(share.id), 404, "chat_not_found")
    expect((await chatOf(user, chatId)).share).toBe(null)
  })

  test("is one branch: other versions of its messages stay private", async () => {
    const user = somebody()
    const { chatId, messageId } = await ask(user, "Version one?")
    await ask(user, "Version two?", { chatId, parentMessageId: null })
    const body = { leaf: messageId }
    const share = (await (await send("PUT", `/api/chats/${chatId}/share`, user, body)).json()) as { id: string }
    const contents = await contentsOf(share.id)
    expect(contents[0]).toBe("Version one?")
    expect(contents).toHaveLength(2)
  })

  test("shows the names of quoted documents, and never their texts", async () => {
    const user = somebody()
    const form = new FormData()
    form.set("file", new File(["Storks return in March. The secret number is 4711."], "storks.txt"))
    const uploaded = await server.fetch("/api/upload", { method: "POST", user, body: form })
    const { documentId } = (await uploaded.json()) as { documentId: string }
    const status = async () =>
      ((await (await server.fetch(`/api/documents/${documentId}`, { user })).json()) as { status: string }).status
    await expect.poll(status).toBe("ready")
    const { chatId } = await ask(user, "When do storks return?", { documentIds: [documentId] })
    const share = (await (await send("PUT", `/api/chats/${chatId}/share`, user, {})).json()) as { id: string }
    const { messages } = (await (await shared(share.id)).json()) as SharedBody
    expect(messages[1]?.sources).toEqual([{ number: 1, filename: "storks.txt", page: null }])
  })

  test("ends with its chat, and belongs to its owner", async () => {
    const [user, other] = [somebody(), somebody()]
    const { chatId } = await ask(user, "Mine?")
    await expectProblem(await send("PUT", `/api/chats/${chatId}/share`, other, {}), 404, "chat_not_found")
    await expectProblem(await send("PUT", `/api/chats/${NOWHERE}/share`, user, {}), 404, "chat_not_found")
    await expectProblem(
      await send("PUT", `/api/chats/${chatId}/share`, user, { leaf: NOWHERE }),
      400,
      "invalid_chat_change"
    )
    const share = (await (await send("PUT", `/api/chats/${chatId}/share`, user, {})).json()) as { id: string }
    await expectProblem(await send("DELETE", `/api/chats/${chatId}/share`, other), 404, "chat_not_found")
    expect((await shared(share.id)).status).toBe(200)
    expect((await send("DELETE", `/api/chats/${chatId}`, user)).status).toBe(204)
    await expectProblem(await shared(share.id), 404, "chat_not_found")
    for (const id of ["x", "%00", share.id.toUpperCase(), "a".repeat(5_000)]) {
      expect((await shared(id)).status).toBeGreaterThanOrEqual(400)
      expect((await shared(id)).status).toBeLessThan(500)
    }
  })
})

describe("a rating", () => {
  test("is stored with its reply, replaced and taken back", async () => {
    const user = somebody()
    const { chatId, messageId } = await ask(user, "Good?")
    const path = `/api/chats/${chatId}/messages/${messageId}/rating`
    const ratingOf = async () => (await chatOf(user, chatId)).messages.at(-1)?.rating
    expect(await ratingOf()).toBe(null)
    expect((await send("PUT", path, user, { rating: "bad", comment: "  Too short.\0 " })).status).toBe(204)
    expect(await ratingOf()).toEqual({ rating: "bad", comment: "Too short.\uFFFD" })
    expect((await send("PUT", path, user, { rating: "good", comment: " " })).status).toBe(204)
    expect(await ratingOf()).toEqual({ rating: "good" })
    expect((await send("DELETE", path, user)).status).toBe(204)
    expect(await ratingOf()).toBe(null)
  })

  test("of a question, another person's reply, or with an unknown value or a long comment is refused", async () => {
    const [user, other] = [somebody(), somebody()]
    const { chatId, messageId } = await ask(user, "Good?")
    const path = (message: string) => `/api/chats/${chatId}/messages/${message}/rating`
    const question = (await chatOf(user, chatId)).messages[0]?.id ?? ""
    const good = { rating: "good" }
    await expectProblem(await send("PUT", path(question), user, good), 404, "chat_not_found")
    await expectProblem(await send("PUT", path(messageId), other, good), 404, "chat_not_found")
    await expectProblem(await send("DELETE", path(NOWHERE), user), 404, "chat_not_found")
    expect((await send("PUT", path(messageId), user, { rating: "best" })).status).toBe(400)
    const long = { ...good, comment: "x".repeat(2_001) }
    await expectProblem(await send("PUT", path(messageId), user, long), 400, "invalid_chat_change")
  })
})

describe("preferences", () => {
  test("are empty at first, and then as they were stored last", async () => {
    const user = somebody()
    const get = async () => (await server.fetch("/api/preferences", { user })).json()
    expect(await get()).toEqual({ instructions: "", modelId: null })
    const stored = await send("PUT", "/api/preferences", user, { instructions: " Be brief. ", modelId: "model-a" })
    expect(await stored.json()).toEqual({ instructions: "Be brief.", modelId: "model-a" })
    expect(await get()).toEqual({ instructions: "Be brief.", modelId: "model-a" })
  })

  test("with instructions of more than 4,000 characters or an unknown model are refused and change nothing", async () => {
    const user = somebody()
    for (const wrong of [
      { instructions: "x".repeat(4_001), modelId: null },
      { instructions: "", modelId: "no-such-model" }
    ]) {
      await expectProblem(await send("PUT", "/api/preferences", user, wrong), 400, "invalid_preferences")
    }
    expect(await (await server.fetch("/api/preferences", { user })).json()).toEqual({ instructions: "", modelId: null })
  })
})
