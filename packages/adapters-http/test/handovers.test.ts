import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"

let server: TestServer
let bot: { readonly id: string; readonly publicKey: string }
beforeAll(async () => {
  server = await startServer({ parley: { work: false, config: { widget: { perIpPerMinute: 1_000 } } } })
  const draft = { displayName: "Ada", handOver: true, personName: "Grace" }
  const { id, keys } = await server.parley.bots.create(OWNER, draft)
  bot = { id, publicKey: keys[0]?.publicKey ?? "" }
})
afterAll(() => server.close())

const visitor = (path: string, body: object, visitorId = "v-1") =>
  server.post(`/api/widget/${path}`, { publicKey: bot.publicKey, visitorId, ...body })
const owner = async (method: string, path: string, body?: object, user = OWNER) => {
  const cookie = await cookieFor(user)
  const headers = { cookie, "content-type": "application/json", origin: server.url }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return server.fetch(`/api/bots/${bot.id}/${path}`, { method, headers, ...sent })
}

describe("a hand-over", () => {
  test("goes from the visitor's wish over the person's answers to its end", async () => {
    const said = await visitor("chat", { message: "Hi" })
    await said.text()
    expect(said.headers.get("x-answered-by")).toBe("bot")
    const conversationId = said.headers.get("x-conversation-id") ?? ""
    const wish = { conversationId, email: "Bob@Example.org", page: "https://shop.example/a?b=c#d", language: "de" }
    const wished = await visitor("person", wish)
    expect(await wished.json()).toEqual({ conversationId, state: "waiting", hasEmail: true, opensAt: null })
    expect(await (await owner("GET", "inbox")).json()).toEqual({ waiting: 1, open: 0, solved: 0 })

    const waits = await visitor("chat", { message: "Hello?", conversationId })
    expect([waits.status, await waits.text(), waits.headers.get("x-answered-by")]).toEqual([200, "", "person"])
    expect(waits.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(waits.headers.get("x-conversation-id")).toBe(conversationId)

    const listed = await owner("GET", "conversations?state=waiting")
    expect(await listed.json()).toMatchObject({
      conversations: [
        {
          id: conversationId,
          state: "waiting",
          email: "bob@example.org",
          page: "https://shop.example/a",
          assignee: null
        }
      ]
    })
    const answered = await owner("POST", `conversations/${conversationId}/answers`, { content: "I am **here**." })
    expect(answered.status).toBe(201)
    const answer = (await answered.json()) as { readonly id: string }
    expect(answer).toMatchObject({ role: "assistant", author: "Grace", model: null, credits: null })

    const all = (await (await visitor("conversation", { conversationId })).json()) as {
      readonly messages: ReadonlyArray<{ readonly id: string }>
    }
    expect(all).toMatchObject({ state: "open", messages: { length: 4 } })
    const after = all.messages[2]?.id
    expect(await (await visitor("conversation", { conversationId, after })).json()).toMatchObject({
      messages: [{ id: answer.id, role: "assistant", author: "Grace", content: "I am **here**." }]
    })
    const none = await visitor("conversation", { conversationId, after: answer.id })
    expect(await none.json()).toEqual({ conversationId, state: "open", hasEmail: true, messages: [] })

    const solved = await owner("PUT", `conversations/${conversationId}/state`, { state: "solved" })
    expect(await solved.json()).toEqual({ state: "solved" })
    const later = await visitor("chat", { message: "Thanks", conversationId })
    await later.text()
    expect(later.headers.get("x-answered-by")).toBe("bot")
    const opened = await owner("PUT", `conversations/${conversationId}/state`, { state: "open" })
    expect(await opened.json()).toEqual({ state: "open" })
    expect(await (await owner("GET", "inbox")).json()).toEqual({ waiting: 0, open: 1, solved: 0 })
  })

  test("is refused in words that help: foreign conversations, other owners, wrong addresses, bots without people", async () => {
    const wished = await visitor("person", {})
    const { conversationId } = (await wished.json()) as { readonly conversationId: string }
    await expectProblem(await visitor("person", { conversationId }, "v-2"), 404, "conversation_not_found")
    await expectProblem(await visitor("conversation", { conversationId }, "v-2"), 404, "conversation_not_found")
    await expectProblem(await visitor("person", { email: "a@b@c\r\nBcc: x@example.org" }), 400, "invalid_request")
    await expectProblem(await owner("GET", "inbox", undefined, "mallory"), 404, "bot_not_found")
    const answers = `conversations/${conversationId}/answers`
    await expectProblem(await owner("POST", answers, { content: "Hi" }, "mallory"), 404, "bot_not_found")
    await expectProblem(await owner("POST", answers, { content: " " }), 400, "invalid_request")
    await expectProblem(
      await owner("PUT", `conversations/${conversationId}/state`, { state: "bot" }),
      400,
      "invalid_request"
    )
    await server.parley.bots.update(OWNER, bot.id, { handOver: false })
    await expectProblem(await visitor("person", { conversationId }), 409, "hand_over_off")
    await expectProblem(await owner("POST", answers, { content: "Hi" }), 409, "hand_over_off")
    await server.parley.bots.update(OWNER, bot.id, { handOver: true })
  })
})
