import { Stream } from "effect"
import {
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk
} from "ai"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { completed, text } from "./support/ScriptedModel.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { surfaces } from "./support/surfaces.ts"
import { waitUntil } from "./support/waitUntil.ts"

const ANN = "ann"
const ASKING = { accept: "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" }
const hello = { messages: [{ role: "user", content: "Hello?" }] }

const said = (role: "user" | "assistant", words: string, metadata?: object): UIMessage => ({
  id: crypto.randomUUID(),
  role,
  parts: [{ type: "text", text: words }],
  ...(metadata === undefined ? {} : { metadata })
})

/** The data of each event of a whole body. */
const eventsOf = (body: string): ReadonlyArray<string> =>
  body
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""))

const partsOf = (body: string): ReadonlyArray<Record<string, unknown>> =>
  eventsOf(body)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Record<string, unknown>)

describe.each(surfaces)("the UI message stream of the AI SDK, over %s", (_, surface) => {
  let server: TestServer
  beforeEach(async () => {
    server = await startServer({ surface })
  })
  afterEach(() => server.close())

  const send = (body: unknown, headers: Record<string, string> = ASKING) =>
    server.fetch("/api/chat", {
      method: "POST",
      user: ANN,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers }
    })

  const transport = (options: HttpChatTransportInitOptions<UIMessage> = {}) =>
    new DefaultChatTransport<UIMessage>({
      api: "/api/chat",
      headers: ASKING,
      fetch: async (input, init = {}) => server.fetch(String(input), { ...init, user: ANN } as RequestInit),
      ...options
    })

  const ask = (messages: Array<UIMessage>, body: object = {}) =>
    transport().sendMessages({
      trigger: "submit-message",
      chatId: "the page's own name",
      messageId: undefined,
      messages,
      body,
      abortSignal: undefined
    })

  const lastOf = async (stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> => {
    let last: UIMessage | undefined
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message
    if (last === undefined) throw new Error("The stream had no message.")
    return last
  }

  const upload = async () => {
    const form = new FormData()
    form.append("file", new File(["# Storks\nStorks return in March."], "storks.md"))
    const response = await server.fetch("/api/upload", { method: "POST", user: ANN, body: form })
    const { documentId } = (await response.json()) as { readonly documentId: string }
    await waitUntil(async () => (await server.parley.documents.get(ANN, documentId)).status === "ready")
    return documentId
  }

  test("carries text, sources, receipt and balance, and is done when the reply is settled", async () => {
    server.model.answer = () => Stream.make(text("In "), text("March [1]."), completed)
    const documentIds = [await upload()]
    const response = await send({ messages: [said("user", "When do storks return?")], documentIds })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1")
    const body = await response.text()
    const messageId = response.headers.get("x-message-id")
    const chatId = response.headers.get("x-chat-id")
    const { transactions } = await server.parley.credits.history({ userId: ANN, limit: 9, offset: 0, type: "usage" })
    const balance = await (await server.fetch("/api/billing/balance", { user: ANN })).json()
    const chat = (await (await server.fetch(`/api/chats/${chatId}`, { user: ANN })).json()) as {
      readonly messages: ReadonlyArray<Record<string, unknown>>
    }
    const { credits, receipt, sources } = chat.messages.at(-1) ?? {}
    expect(credits).toBe(-(transactions[0]?.amount ?? 0))
    const parts = partsOf(body)
    const deltas = parts.filter(({ type }) => type === "text-delta")
    expect(deltas.map(({ delta }) => delta).join("")).toBe("In March [1].")
    expect(sources).toMatchObject([{ filename: "storks.md", documentId: documentIds[0] }])
    expect(parts.filter((part) => !deltas.includes(part))).toEqual([
      {
        type: "start",
        messageId,
        messageMetadata: { chatId, model: "model-a-mini", pendingDocuments: [], unreadDocuments: [], limitedTo: null }
      },
      { type: "data-sources", id: "sources", data: sources },
      { type: "text-start", id: messageId },
      { type: "text-end", id: messageId },
      { type: "data-receipt", id: "receipt", data: { credits, receipt } },
      { type: "data-balance", id: "balance", data: balance },
      { type: "finish" }
    ])
    expect(eventsOf(body).at(-1)).toBe("[DONE]")
    expect(eventsOf(body).filter((event) => event === "[DONE]")).toHaveLength(1)
  })

  test("is plain text unless both headers ask for it", async () => {
    const { accept, ...version } = ASKING
    for (const headers of [{}, { accept }, version, { ...ASKING, "x-vercel-ai-ui-message-stream": "v2" }]) {
      const response = await send(hello, headers)
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
      expect(await response.text()).toBe("Hello there.")
    }
    const mixed = await send(hello, { ...ASKING, accept: "application/json, Text/Event-Stream;q=0.9" })
    expect(mixed.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    await mixed.text()
  })

  test("a failure before the first words is a problem with its status", async () => {
    const calling = server.model.nextCall()
    const responding = send(hello)
    ;(await calling).fail("unavailable")
    await expectProblem(await responding, 500, "provider_unavailable")
    const { available } = await server.parley.credits.balance(ANN)
    await server.parley.credits.adjust({ userId: ANN, amount: -available, key: "empty", reason: "test" })
    await expectProblem(await send(hello), 402, "insufficient_credits")
    expect(await server.parley.chat.list({ userId: ANN, limit: 9, offset: 0 })).toMatchObject({ total: 0 })
  })

  test("a failure half-way is an error part with the problem, never a finish, and the body breaks", async () => {
    const calling = server.model.nextCall()
    const responding = send(hello)
    const call = await calling
    call.say("Half a ")
    const response = await responding
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    call.fail("unavailable")
    let body = ""
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        body += decoder.decode(value, { stream: true })
      }
    })()
    await expect(reading).rejects.toThrow()
    const parts = partsOf(body)
    expect(parts.map(({ type }) => type)).toEqual(["start", "data-sources", "text-start", "text-delta", "error"])
    expect(JSON.parse(String(parts.at(-1)?.["errorText"]))).toMatchObject({
      code: "provider_unavailable",
      requestId: response.headers.get("x-request-id")
    })
    expect(body).not.toContain("[DONE]")
    expect(body).not.toContain("finish")
    const { held } = await server.parley.credits.balance(ANN)
    expect(held).toBe(0)
  })

  test("a page that sends its messages back continues the chat that the newest reply names", async () => {
    const question = said("user", "Hello?")
    const reply = await lastOf(await ask([question]))
    expect(reply.parts.find(({ type }) => type === "text")).toMatchObject({ text: "Hello there." })
    const { chatId } = reply.metadata as { readonly chatId: string }
    const next = await lastOf(await ask([question, reply, said("user", "And now?")]))
    expect(next.metadata).toMatchObject({ chatId })
    const { messages } = await server.parley.chat.get(ANN, chatId)
    expect(messages.map(({ content }) => content)).toEqual(["Hello?", "Hello there.", "And now?", "Hello there."])
    expect(messages.at(-1)?.id).toBe(next.id)
    const named = await lastOf(await ask([said("user", "A third.")], { chatId }))
    expect(named.metadata).toMatchObject({ chatId })
  })

  test("a question that is asked again or edited stands beside the earlier one, as another version", async () => {
    const question = said("user", "Hello?")
    const reply = await lastOf(await ask([question]))
    const { chatId } = reply.metadata as { readonly chatId: string }
    const earlier = said("user", "And now?")
    const second = await lastOf(await ask([question, reply, earlier]))
    const again = await lastOf(await ask([question, reply, earlier]))
    const edited = await lastOf(await ask([question, reply, said("user", "And then?")]))
    const { messages } = await server.parley.chat.get(ANN, chatId)
    expect(messages.map(({ content }) => content)).toEqual(["Hello?", "Hello there.", "And then?", "Hello there."])
    expect(messages[2]?.versions).toHaveLength(3)
    for (const { id } of [second, again, edited]) {
      const branch = await server.parley.chat.get(ANN, chatId, { leaf: id })
      expect(branch.messages.at(-1)?.id).toBe(id)
    }
    const failed = said("assistant", "")
    const next = await lastOf(await ask([question, reply, said("user", "Lost"), failed, said("user", "Once more")]))
    expect(next.metadata).toMatchObject({ chatId })
  })

  test("a file within a message is refused, because no model would read it", async () => {
    const file = { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" }
    const messages = [{ ...said("user", "What is this?"), parts: [file, { type: "text", text: "What is this?" }] }]
    const problem = await expectProblem(await send({ messages }), 422, "invalid_chat_request")
    expect(problem["detail"]).toContain("messages.0.parts: Expected text parts")
    expect(server.model.requests).toBe(0)
  })

  test.each([
    ["no messages", {}],
    ["messages that are no list", { messages: "Hello?" }],
    ["a message that is no object", { messages: [null] }],
    ["a message without parts", { messages: [{ role: "user" }] }],
    ["a message that says nothing", { messages: [{ role: "user", parts: [{ type: "text" }, null] }] }],
    ["a chat that is no id", { messages: [said("assistant", "Hi", { chatId: 7 }), said("user", "Hello?")] }]
  ])("%s is 422", async (_, body) => {
    await expectProblem(await send(body), 422, "invalid_chat_request")
  })

  test("a running reply is joined in the same protocol, with its sources, and 204 if none runs", async () => {
    const documentIds = [await upload()]
    const calling = server.model.nextCall()
    const asked = send(
      { messages: [said("user", "When do storks return?")], documentIds },
      { ...ASKING, "x-on-disconnect": "continue" }
    )
    const call = await calling
    call.say("In ")
    const response = await asked
    await response.body?.cancel()
    const api = `/api/chats/${response.headers.get("x-chat-id")}/stream`
    const resume = () =>
      transport({ prepareReconnectToStreamRequest: () => ({ api, headers: ASKING }) }).reconnectToStream({
        chatId: "the page's own name"
      })
    const joined = await resume()
    if (joined === null) throw new Error("No reply runs.")
    call.say("March.")
    call.complete()
    const message = await lastOf(joined)
    expect(message.id).toBe(response.headers.get("x-message-id"))
    const data = new Map(message.parts.map((part) => [part.type, part] as const))
    expect(data.get("text")).toMatchObject({ text: "In March." })
    expect(data.get("data-sources")).toMatchObject({ data: [{ filename: "storks.md" }] })
    expect(data.get("data-receipt")).toMatchObject({ data: { credits: expect.any(Number) } })
    expect(await resume()).toBeNull()
  })

  test("a reply that runs in an older branch is joined with its own sources", async () => {
    const documentIds = [await upload()]
    const first = await send(hello)
    await first.text()
    const [chatId, parentMessageId] = ["x-chat-id", "x-message-id"].map((name) => first.headers.get(name))
    const { answer } = server.model
    const calling = server.model.nextCall()
    const after = { chatId, parentMessageId, messages: [{ role: "user", content: "When do storks return?" }] }
    const asked = send({ ...after, documentIds }, { ...ASKING, "x-on-disconnect": "continue" })
    const call = await calling
    call.say("In March.")
    const response = await asked
    server.model.answer = answer
    await (await send({ ...after, messages: hello.messages })).text()
    const messageId = response.headers.get("x-message-id")
    const joined = await server.fetch(`/api/chats/${chatId}/stream?messageId=${messageId}`, {
      user: ANN,
      headers: ASKING
    })
    call.complete()
    const sources = partsOf(await joined.text()).find(({ type }) => type === "data-sources")
    expect(sources).toMatchObject({ data: [{ filename: "storks.md" }] })
    await response.body?.cancel()
  })
})

test("any text arrives as the model wrote it, however it is cut, and is done exactly once", async () => {
  const server = await startServer()
  await server.parley.credits.grant({ userId: ANN, amount: 1_000_000, key: "property" })
  const pieces = fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 })
  try {
    await fc.assert(
      fc.asyncProperty(pieces, async (given) => {
        const words = given.map((piece) => piece.toWellFormed())
        server.model.answer = () => Stream.fromIterable([...words.map(text), completed])
        const response = await server.fetch("/api/chat", {
          method: "POST",
          user: ANN,
          body: JSON.stringify(hello),
          headers: { "content-type": "application/json", ...ASKING }
        })
        const body = await response.text()
        const deltas = partsOf(body).filter(({ type }) => type === "text-delta")
        expect(deltas.map(({ delta }) => delta).join("")).toBe(words.join(""))
        expect(body.split("data: [DONE]\n\n")).toHaveLength(2)
        expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
      }),
      { numRuns: 60 }
    )
  } finally {
    await server.close()
  }
})
