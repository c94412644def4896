import { openInMemory } from "@parley/core"
import {
  CreditLedger,
  makeInMemoryMalwareScanner,
  type MalwareScan,
  malwareTestText,
  ScannerUnavailable
} from "@parley/core/adapter"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"
import { waitUntil } from "./support/waitUntil.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }
const NOWHERE = "00000000-0000-4000-8000-000000000000"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const upload = async (user: string, name = "notes.txt", content: BlobPart = "The cat sat on the mat.") => {
  const form = new FormData()
  form.set("file", new File([content], name))
  return server.fetch("/api/upload", { method: "POST", user, body: form })
}

const untilReady = async (user: string, id: string) => {
  for (;;) {
    const document = (await (await server.fetch(`/api/documents/${id}`, { user })).json()) as { status: string }
    if (document.status !== "processing") return document
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("chat", () => {
  test("GET /api/chat says that it works", async () => {
    const response = await server.fetch("/api/chat", { user: ANN })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ message: expect.any(String) })
  })

  test("a reply is streamed as text, kept with its chat, and charged", async () => {
    const before = await server.parley.credits.balance(ANN)
    const response = await server.post("/api/chat", hello, ANN)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("x-accel-buffering")).toBe("no")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect(response.headers.get("x-model")).toBe("model-a-mini")
    expect(response.headers.get("x-credits-limited")).toBe(null)
    expect(response.headers.get("x-documents-pending")).toBe(null)
    expect(await response.text()).toBe("Hello there.")

    const chatId = response.headers.get("x-chat-id") ?? ""
    const chat = (await (await server.fetch(`/api/chats/${chatId}`, { user: ANN })).json()) as Record<string, unknown>
    expect(chat).toMatchObject({ id: chatId, title: "Hello?" })
    expect(chat["messages"]).toMatchObject([
      { role: "user", content: "Hello?", state: "complete", model: null, credits: null, receipt: null },
      {
        id: response.headers.get("x-message-id"),
        role: "assistant",
        content: "Hello there.",
        state: "complete",
        model: "model-a-mini",
        credits: 1,
        receipt: { model: "model-a-mini", charged: 1, ended: "completed" }
      }
    ])
    const after = await server.parley.credits.balance(ANN)
    expect(after).toMatchObject({ available: before.available - 1, held: 0 })
  })

  test("a second message continues the chat", async () => {
    const first = await server.post("/api/chat", hello, ANN)
    await first.text()
    const chatId = first.headers.get("x-chat-id")
    const second = await server.post("/api/chat", { ...hello, chatId }, ANN)
    expect(await second.text()).toBe("Hello there.")
    expect(second.headers.get("x-chat-id")).toBe(chatId)
    const third = await server.post("/api/chat", { ...hello, chatId: chatId?.toUpperCase() }, ANN)
    expect(await third.text()).toBe("Hello there.")
    expect(third.headers.get("x-chat-id")).toBe(chatId)
  })

  test("chats are listed, given and deleted", async () => {
    const user = "chat-lister"
    for (const content of ["one", "two", "three"]) {
      await (await server.post("/api/chat", { messages: [{ role: "user", content }] }, user)).text()
    }
    const page = (await (await server.fetch("/api/chats?limit=2&offset=1", { user })).json()) as {
      chats: Array<{ id: string; title: string }>
    }
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 1, chats: [{ title: "two" }, { title: "one" }] })
    const path = `/api/chats/${page.chats[0]?.id}`
    expect((await server.fetch(path, { user, method: "DELETE" })).status).toBe(204)
    await expectProblem(await server.fetch(path, { user }), 404, "chat_not_found")
    await expectProblem(await server.fetch(path, { user, method: "DELETE" }), 404, "chat_not_found")
  })

  test("a long chat is read page by page, to its beginning", async () => {
    const said = Array.from({ length: 250 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: String(index)
    }))
    const asked = await server.post("/api/chat", { messages: [...said, { role: "user", content: "?" }] }, "long-talker")
    await asked.text()
    const path = `/api/chats/${asked.headers.get("x-chat-id")}`
    const contents: Array<string> = []
    const sizes: Array<number> = []
    let before: string | null = ""
    while (before !== null) {
      const page = (await (await server.fetch(`${path}${before}`, { user: "long-talker" })).json()) as {
        messages: Array<{ content: string }>
        nextBefore: string | null
      }
      contents.unshift(...page.messages.map(({ content }) => content))
      sizes.push(page.messages.length)
      before = page.nextBefore === null ? null : `?before=${page.nextBefore}`
    }
    expect(contents).toEqual([...said.map(({ content }) => content), "?", "Hello there."])
    expect(sizes).toEqual([100, 100, 52])
    for (const query of ["limit=0", "limit=501", "before=", "before=1"]) {
      await expectProblem(await server.fetch(`${path}?${query}`, { user: "long-talker" }), 400, "invalid_request")
    }
  })

  test("a chat of megabytes is read in pages of bounded size", async () => {
    const content = "word ".repeat(10_000)
    await server.fetch("/api/billing/balance", { user: "novelist" })
    await server.parley.credits.grant({ userId: "novelist", amount: 10_000, key: "novels" })
    const asked = await server.post(
      "/api/chat",
      { messages: Array.from({ length: 19 }, () => ({ role: "user", content })) },
      "novelist"
    )
    await asked.text()
    const path = `/api/chats/${asked.headers.get("x-chat-id")}`
    const body = await (await server.fetch(path, { user: "novelist" })).text()
    expect(body.length).toBeLessThan(300 * 1024)
    expect(JSON.parse(body)).toMatchObject({ nextBefore: expect.any(String) })
  })

  test("chats beyond the tier's quota are 403 until some are deleted", async () => {
    const small = await startServer({ parley: { config: { tiers: { free: { maxChatBytes: 1_000 } } } } })
    const say = (length: number) =>
      small.post("/api/chat", { messages: [{ role: "user", content: "x".repeat(length) }] }, ANN)
    const first = await say(600)
    expect(await first.text()).toBe("Hello there.")
    const problem = await expectProblem(await say(600), 403, "storage_quota")
    expect(problem).toMatchObject({ tier: "free", bytes: 612, maxChatBytes: 1_000 })
    expect(await small.parley.credits.balance(ANN)).toMatchObject({ held: 0, available: 99 })
    await small.fetch(`/api/chats/${first.headers.get("x-chat-id")}`, { user: ANN, method: "DELETE" })
    const again = await say(600)
    expect(again.status).toBe(200)
    await again.text()
    await small.close()
  })

  test("an unknown chat is 404, to read and to continue", async () => {
    await expectProblem(await server.fetch(`/api/chats/${NOWHERE}`, { user: ANN }), 404, "chat_not_found")
    await expectProblem(await server.post("/api/chat", { ...hello, chatId: NOWHERE }, ANN), 404, "chat_not_found")
  })

  test("a model outside the tier is 403 and names the tiers that have it", async () => {
    const problem = await expectProblem(
      await server.post("/api/chat", { ...hello, modelId: "model-b-opus-20240229" }, ANN),
      403,
      "model_not_allowed"
    )
    expect(problem).toMatchObject({ model: "model-b-opus-20240229", tier: "free", allowedTiers: ["business"] })
  })

  test("too few credits are 402 with what is needed, what there is and when there is more", async () => {
    const poor = await startServer({ parley: { config: { tiers: { free: { monthlyCredits: 0 } } } } })
    const problem = await expectProblem(await poor.post("/api/chat", hello, ANN), 402, "insufficient_credits")
    expect(problem).toMatchObject({ available: 0, allowance: 0, topup: 0, held: 0, debt: 0, affordableModels: [] })
    expect(problem["required"]).toBeGreaterThan(0)
    expect(Date.parse(String(problem["nextResetAt"]))).toBeGreaterThan(Date.now())
    expect(poor.model.requests).toBe(0)
    await poor.close()
  })

  test("a balance that buys a shorter reply says so", async () => {
    const thrifty = await startServer({ parley: { config: { tiers: { free: { monthlyCredits: 5 } } } } })
    const response = await thrifty.post("/api/chat", hello, ANN)
    expect(await response.text()).toBe("Hello there.")
    const limit = Number(response.headers.get("x-credits-limited"))
    expect(limit).toBeGreaterThan(0)
    expect(limit).toBeLessThan(4096)
    await thrifty.close()
  })

  test("a model without a provider is 500 and nothing is held", async () => {
    const partial = await startServer({ unavailable: ["model-a-mini"] })
    await expectProblem(await partial.post("/api/chat", hello, ANN), 500, "model_unavailable")
    expect(await partial.parley.credits.balance(ANN)).toMatchObject({ held: 0, available: 100 })
    await partial.close()
  })

  test("a message beyond the model's window is 422", async () => {
    const small = await startServer({ parley: { config: { models: { "model-a-mini": { contextTokens: 100 } } } } })
    const long = { messages: [{ role: "user", content: "word ".repeat(2_000) }] }
    await expectProblem(await small.post("/api/chat", long, ANN), 422, "prompt_too_long")
    await small.close()
  })
})

describe("documents", () => {
  test("an upload is answered at once, becomes ready, and is quoted as a source", async () => {
    const uploaded = await upload(ANN)
    expect(uploaded.status).toBe(200)
    const { documentId, ...rest } = (await uploaded.json()) as { documentId: string }
    expect(rest).toEqual({ filename: "notes.txt", status: "processing" })
    const ready = { status: "ready", progress: 1, reason: null, reasonCode: null, retryable: false }
    expect(await untilReady(ANN, documentId)).toMatchObject(ready)

    const listed = (await (await server.fetch("/api/documents", { user: ANN })).json()) as Record<string, unknown>
    expect(listed).toMatchObject({ documents: [{ id: documentId, filename: "notes.txt", type: "txt", bytes: 23 }] })

    const ask = { messages: [{ role: "user", content: "Where did the cat sit?" }], documentIds: [documentId] }
    const reply = await server.post("/api/chat", ask, ANN)
    await reply.text()
    const chat = await server.fetch(`/api/chats/${reply.headers.get("x-chat-id")}`, { user: ANN })
    const { messages } = (await chat.json()) as { messages: Array<Record<string, unknown>> }
    expect(messages[1]?.["sources"]).toMatchObject([{ number: 1, documentId, filename: "notes.txt", headings: [] }])
  })

  test("a source says which headings its passage stands under, and which begin in it", async () => {
    const { documentId } = (await (
      await upload("heads", "book.md", "# Flight\n\nLift.\n\n# Birds\n\nWings.")
    ).json()) as {
      documentId: string
    }
    await untilReady("heads", documentId)
    const ask = { messages: [{ role: "user", content: "wings?" }], documentIds: [documentId] }
    const reply = await server.post("/api/chat", ask, "heads")
    await reply.text()
    const chat = await server.fetch(`/api/chats/${reply.headers.get("x-chat-id")}`, { user: "heads" })
    const { messages } = (await chat.json()) as { messages: Array<{ sources: Array<{ headings: unknown }> }> }
    expect(messages[1]?.sources[0]?.headings).toEqual([
      { level: 1, title: "Flight", start: 0 },
      { level: 1, title: "Birds", start: 17 }
    ])
  })

  test("a document that failed says why, to people and to programs, and whether trying again can help", async () => {
    const { documentId } = (await (await upload("locked", "a.txt", "locked away")).json()) as { documentId: string }
    const failed = {
      status: "failed",
      reason: "It is protected by a password.",
      reasonCode: "password",
      retryable: false
    }
    expect(await untilReady("locked", documentId)).toMatchObject(failed)
    const listed = await (await server.fetch("/api/documents", { user: "locked" })).json()
    expect(listed).toMatchObject({ documents: [failed] })
  })

  test("POST /api/rag leaves a ready document ready and says so", async () => {
    const { documentId } = (await (await upload("rag")).json()) as { documentId: string }
    await untilReady("rag", documentId)
    const response = await server.post("/api/rag", { documentId }, "rag")
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ success: true, message: expect.stringContaining("ready") })
  })

  test("POST /api/rag: no id 400, malformed 400, foreign 403, unknown 404", async () => {
    const { documentId } = (await (await upload(ANN)).json()) as { documentId: string }
    await expectProblem(await server.post("/api/rag", {}, ANN), 400, "invalid_request")
    await expectProblem(await server.post("/api/rag", { documentId: "7" }, ANN), 400, "invalid_document_id")
    await expectProblem(await server.post("/api/rag", { documentId }, "bob"), 403, "document_forbidden")
    await expectProblem(await server.post("/api/rag", { documentId: NOWHERE }, ANN), 404, "document_not_found")
  })

  test("in chat a foreign document is 403 and an unknown one 404, before any model is asked", async () => {
    const { documentId } = (await (await upload(ANN)).json()) as { documentId: string }
    const requests = server.model.requests
    const foreign = await server.post("/api/chat", { ...hello, documentIds: [documentId] }, "bob")
    await expectProblem(foreign, 403, "document_forbidden")
    const unknown = await server.post("/api/chat", { ...hello, documentIds: [NOWHERE] }, ANN)
    await expectProblem(unknown, 404, "document_not_found")
    expect(server.model.requests).toBe(requests)
  })

  test("a document that is not ready is left out and named", async () => {
    const idle = await startServer({ parley: { work: ["holds"] } })
    const form = new FormData()
    form.set("file", new File(["text"], "slow.txt"))
    const uploaded = await idle.fetch("/api/upload", { method: "POST", user: ANN, body: form })
    const { documentId } = (await uploaded.json()) as { documentId: string }
    const reply = await idle.post("/api/chat", { ...hello, documentIds: [documentId] }, ANN)
    expect(await reply.text()).toBe("Hello there.")
    expect(reply.headers.get("x-documents-pending")).toBe(documentId)
    const again = await idle.post("/api/rag", { documentId }, ANN)
    expect(await again.json()).toEqual({ success: true, message: expect.stringContaining("started") })
    await idle.close()
  })

  test("a foreign document is 404 to read and to delete; the owner deletes it", async () => {
    const { documentId } = (await (await upload(ANN)).json()) as { documentId: string }
    const path = `/api/documents/${documentId}`
    await expectProblem(await server.fetch(path, { user: "bob" }), 404, "document_not_found")
    await expectProblem(await server.fetch(path, { user: "bob", method: "DELETE" }), 404, "document_not_found")
    expect((await server.fetch(path, { user: ANN, method: "DELETE" })).status).toBe(204)
    await expectProblem(await server.fetch(path, { user: ANN }), 404, "document_not_found")
  })

  test("a full quota is 403 with the numbers", async () => {
    const tight = await startServer({ parley: { config: { tiers: { free: { maxDocuments: 0 } } } } })
    const form = new FormData()
    form.set("file", new File(["text"], "one.txt"))
    const response = await tight.fetch("/api/upload", { method: "POST", user: ANN, body: form })
    expect(await expectProblem(response, 403, "document_quota")).toMatchObject({ tier: "free", maxDocuments: 0 })
    await tight.close()
  })

  test("a file with malware is 400 with the problem, and one without a verdict 503 with a time to try again", async () => {
    const away = { scan: () => Effect.fail(new ScannerUnavailable({ reason: "unreachable" })) }
    const post = async (scanner: MalwareScan) => {
      const scanning = await startServer({ parley: { scanner } })
      const form = new FormData()
      form.set("file", new File([malwareTestText()], "one.txt"))
      const response = await scanning.fetch("/api/upload", { method: "POST", user: ANN, body: form })
      return { scanning, response }
    }
    const bad = await post(makeInMemoryMalwareScanner())
    expect(await expectProblem(bad.response, 400, "file_rejected")).toMatchObject({ problem: "malware" })
    expect(bad.scanning.log.filter((line) => line.includes('"malware"'))).toHaveLength(1)
    await bad.scanning.close()
    const late = await post(away)
    await expectProblem(late.response, 503, "scanner_unavailable")
    expect(late.response.headers.get("retry-after")).toBe("30")
    await late.scanning.close()
  })
})

describe("billing and models", () => {
  test("the balance has the six figures", async () => {
    const response = await server.fetch("/api/billing/balance", { user: "fresh" })
    expect(await response.json()).toEqual({
      allowance: 100,
      topup: 0,
      held: 0,
      debt: 0,
      available: 100,
      nextResetAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    })
  })

  test("the history of a new person opens their account", async () => {
    const response = await server.fetch("/api/billing/credit-history", { user: "newcomer" })
    expect(await response.json()).toMatchObject({
      total: 1,
      limit: 50,
      offset: 0,
      transactions: [{ transaction_type: "reset", amount: 100, balance_after: 100, model: null, receipt: null }]
    })
  })

  test("the history is filtered by type and paged; an unknown type is an empty list", async () => {
    const user = "spender"
    for (let round = 0; round < 3; round++) await (await server.post("/api/chat", hello, user)).text()
    const get = async (query: string) =>
      (await (await server.fetch(`/api/billing/credit-history?${query}`, { user })).json()) as Record<string, unknown>
    const usage = await get("type=usage&limit=2&offset=1")
    expect(usage).toMatchObject({ total: 3, limit: 2, offset: 1 })
    expect(usage["transactions"]).toHaveLength(2)
    expect(usage["transactions"]).toMatchObject([
      {
        transaction_type: "usage",
        amount: -1,
        allowance_amount: -1,
        topup_amount: 0,
        model: "model-a-mini",
        source: "chat",
        reference: expect.stringMatching(/^reply:/),
        receipt: { charged: 1, estimated: false, ended: "completed", usage: { fresh_input: 10, output: 5 } }
      },
      { balance_after: 99 }
    ])
    expect(await get("type=nonsense")).toMatchObject({ total: 0, transactions: [] })
  })

  test("usage is returned by day, source and model; invalid days, or too many, are refused", async () => {
    const user = "user-of-models"
    for (let round = 0; round < 2; round++) await (await server.post("/api/chat", hello, user)).text()
    const get = (query: string) => server.fetch(`/api/billing/usage${query}`, { user })
    const today = new Date().toISOString().slice(0, 10)
    const { usage, to } = (await (await get("")).json()) as { usage: ReadonlyArray<object>; to: string }
    expect(to >= today).toBe(true)
    const spent = { source: "chat", model: "model-a-mini", replies: 2, credits: 2, input_tokens: 20, output_tokens: 10 }
    expect(usage).toMatchObject([spent])
    expect(await (await get("?from=2020-01-01&to=2020-12-31")).json()).toEqual({
      usage: [],
      from: "2020-01-01",
      to: "2020-12-31"
    })
    for (const query of [
      "?from=2020-02-30",
      "?to=yesterday",
      "?from=2020-01-02&to=2020-01-01",
      "?from=2019-01-01&to=2020-12-31"
    ]) {
      expect((await get(query)).status, query).toBe(400)
    }
  })

  test("the models come with prices, the default first", async () => {
    const response = await server.fetch("/api/models", { user: ANN })
    const { tier, models } = (await response.json()) as { tier: string; models: Array<Record<string, unknown>> }
    expect(tier).toBe("free")
    expect(models[0]).toMatchObject({ id: "model-a-mini", allowed: true, available: true, answeredBy: "scripted" })
    expect(models[0]).toMatchObject({ name: "GPT-6 Luna" })
    expect(models[1]).toMatchObject({ id: "model-a", allowed: false, allowedTiers: ["pro", "business"] })
  })

  test("plans and tiers name only models that this server can run, and the first of those answers by default", async () => {
    const free = { models: ["model-b-sonnet-20241022", "model-a", "model-a-mini"] }
    const own = await startServer({
      parley: { config: { tiers: { free } } },
      unavailable: ["model-b-sonnet-20241022", "model-b-opus-20240229"]
    })
    const { plans } = (await (await own.fetch("/api/billing/plans", { user: ANN })).json()) as {
      plans: ReadonlyArray<{ id: string; models: ReadonlyArray<string> }>
    }
    const every = ["model-a-mini", "model-a", "model-a-turbo"]
    expect(plans.map(({ id, models }) => [id, models])).toEqual([
      ["free", ["model-a", "model-a-mini"]],
      ["pro", every],
      ["business", every]
    ])
    const me = (await (await own.fetch("/api/me", { user: ANN })).json()) as { tier: unknown }
    expect(me.tier).toMatchObject({ models: ["model-a", "model-a-mini"] })
    const reply = await own.post("/api/chat", { messages: [{ role: "user", content: "Hello" }] }, ANN)
    expect([reply.status, reply.headers.get("x-model")]).toEqual([200, "model-a"])
    await reply.text()
    const named = { messages: [{ role: "user", content: "Hello" }], modelId: "model-b-sonnet-20241022" }
    await expectProblem(await own.post("/api/chat", named, ANN), 500, "model_unavailable")
    await own.close()
  })

  test("a model that an operator set up has the name they gave it, else its vendor's", async () => {
    const models = {
      "model-a-mini": { vendorModel: "llama-9" },
      "model-a": { vendorModel: "llama-9-large", displayName: "The large one" }
    }
    const own = await startServer({ parley: { config: { models } } })
    const body = (await (await own.fetch("/api/models", { user: ANN })).json()) as { models: Array<{ name: string }> }
    expect(body.models.slice(0, 3).map(({ name }) => name)).toEqual(["llama-9", "The large one", "GPT-6.1 Sol"])
    await own.close()
  })
})

describe("who is signed in", () => {
  test("GET /api/me says who it is, what the tier includes, and what may be uploaded", async () => {
    const config = { tiers: { free: { displayName: "Trial", monthlyCredits: 7, maxConcurrentReplies: 2 } } }
    const own = await startServer({ parley: { config, uploads: { maxBytes: 1_000, types: ["txt"] } } })
    const cookie = await cookieFor("ann", { claims: { email: "ann@example.com", name: "Ann" } })
    const me = await (await own.fetch("/api/me", { headers: { cookie } })).json()
    expect(me).toEqual({
      userId: "ann",
      email: "ann@example.com",
      name: "Ann",
      sessionExpiresAt: expect.stringMatching(/Z$/),
      tier: {
        id: "free",
        name: "Trial",
        monthlyCredits: 7,
        models: ["model-a-mini"],
        quotas: {
          maxDocuments: 20,
          maxDocumentBytes: 100 * 1024 * 1024,
          maxChatBytes: 50 * 1024 * 1024,
          maxConcurrentReplies: 2
        }
      },
      uploads: { maxBytes: 1_000, types: ["txt"], extensions: expect.arrayContaining(["txt", "log", "json"]) }
    })
    expect(await (await own.fetch("/api/me", { user: "ben" })).json()).toMatchObject({ userId: "ben", email: null })
    await own.close()
  })
})

describe("server", () => {
  test("/healthz answers, and /readyz follows what the server depends on", async () => {
    let ready = () => Promise.resolve()
    const own = await startServer({ app: { ready: () => ready() } })
    expect((await own.fetch("/healthz")).status).toBe(200)
    expect((await own.fetch("/readyz")).status).toBe(200)
    ready = () => Promise.reject(new Error("password=hunter2"))
    await waitUntil(async () => !(await own.fetch("/readyz")).ok)
    const problem = await expectProblem(await own.fetch("/readyz"), 503, "not_ready")
    expect(JSON.stringify(problem)).not.toContain("hunter2")
    expect((await own.fetch("/healthz")).status).toBe(200)
    await own.close()
  })

  test("what /readyz finds is logged with its cause, as the system names it", async () => {
    const cause = Object.assign(new Error("hunter2"), { code: "EMFILE" })
    const ready = () =>
      Promise.reject(Object.assign(new Error("The database does not answer.", { cause }), { problem: "unreachable" }))
    const own = await startServer({ app: { ready } })
    await expectProblem(await own.fetch("/readyz"), 503, "not_ready")
    expect(own.log.join()).toMatch(/"problem":"unreachable".*"cause":"EMFILE"/)
    expect(own.log.join()).not.toContain("hunter2")
    await own.close()
  })

  test("an unknown path is 404, a known one with another method 405 with Allow", async () => {
    await expectProblem(await server.fetch("/nowhere", { user: ANN }), 404, "not_found")
    await expectProblem(await server.fetch("/api/Chat", { user: ANN }), 404, "not_found")
    const refused = await server.fetch("/api/chat", { method: "PUT", user: ANN })
    expect(refused.headers.get("allow")).toBe("GET, HEAD, POST")
    expect(await expectProblem(refused, 405, "method_not_allowed")).toMatchObject({ allowed: ["GET", "HEAD", "POST"] })
    await expectProblem(await server.fetch("/api/chats", { method: "OPTIONS" }), 405, "method_not_allowed")
  })

  test("HEAD answers like GET, without a body", async () => {
    const response = await server.fetch("/api/billing/balance", { method: "HEAD", user: ANN })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe("")
  })

  test("a plain x-request-id comes back; anything else is replaced", async () => {
    const kept = await server.fetch("/healthz", { headers: { "x-request-id": "trace-1:2.3_4" } })
    expect(kept.headers.get("x-request-id")).toBe("trace-1:2.3_4")
    const replaced = await server.fetch("/healthz", { headers: { "x-request-id": "<script>" } })
    expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  })

  test("what fails unexpectedly is 500 without a word of why", async () => {
    const stores = await openInMemory()
    const ledger = CreditLedger.of({ ...stores.ledger, run: () => Effect.die(new Error("password=hunter2")) })
    const broken = await startServer({ parley: { ledger } })
    const problem = await expectProblem(
      await broken.fetch("/api/billing/balance", { user: ANN }),
      500,
      "internal_error"
    )
    expect(problem["detail"]).toMatch(/on our side/)
    await broken.close()
  })
})
