import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { ScriptedModel } from "../../adapters-http/test/support/ScriptedModel.ts"
import { cookieFor, startServer, type TestServer } from "../../adapters-http/test/support/startServer.ts"
import { createParleyClient, type ParleyClient, ParleyError, type ParleyErrorCode } from "../src/index.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => {
  server.model.answer = new ScriptedModel().answer
})

const clientOf = (user: string, send: typeof fetch = fetch): ParleyClient =>
  createParleyClient({
    baseUrl: `${server.url}/`,
    fetch: send,
    headers: async () => ({ cookie: await cookieFor(user) })
  })

const reading = async (stream: AsyncIterable<string>) => {
  let text = ""
  for await (const piece of stream) text += piece
  return text
}

const refused = async (call: Promise<unknown>): Promise<ParleyError> => {
  const error: unknown = await call.then(
    () => undefined,
    (failure: unknown) => failure
  )
  expect(error).toBeInstanceOf(ParleyError)
  return error as ParleyError
}

const file = (name: string, text: string) => new File([text], name, { type: "text/plain" })

describe("chat", () => {
  test("streams a reply, and resolves to the whole message with its sources, receipt and cost", async () => {
    const client = clientOf("ann")
    const { documentId } = await client.documents.upload(file("storks.txt", "Storks return in March."))
    await client.documents.waitUntilReady(documentId)
    const { chatId, done, messageId, stream } = await client.chat.send({
      message: "When do storks return?",
      documentIds: [documentId]
    })
    expect(await reading(stream)).toBe("Hello there.")
    const message = await done
    expect(message).toMatchObject({ id: messageId, role: "assistant", content: "Hello there.", state: "complete" })
    expect(message.sources.map(({ filename, text }) => [filename, text])).toEqual([
      ["storks.txt", "Storks return in March."]
    ])
    expect(message.receipt?.charged).toBe(message.credits)
    expect(message.credits).toBeGreaterThan(0)
    expect((await client.chat.list()).chats.map(({ id }) => id)).toEqual([chatId])
    await client.chat.rename(chatId, "Storks")
    expect((await client.chat.get(chatId)).title).toBe("Storks")
    await client.chat.delete(chatId)
    expect((await refused(client.chat.get(chatId))).code).toBe("chat_not_found")
  })

  test("resolves to the whole message if only that is asked for", async () => {
    const { done } = await clientOf("ann").chat.send({ message: "Hello?" })
    expect((await done).content).toBe("Hello there.")
  })

  test("joins a reply that goes on without its first reader, and stops it", async () => {
    const client = clientOf("bea")
    const asked = server.model.nextCall()
    const leaving = new AbortController()
    const sending = client.chat.send({ message: "Tell me.", onDisconnect: "continue", signal: leaving.signal })
    const call = await asked
    call.say("One ")
    const first = await sending
    leaving.abort()
    expect((await refused(first.done)).code).toBe("aborted")
    expect((await refused(reading(first.stream))).code).toBe("aborted")
    const joined = await client.chat.join(first.chatId)
    call.say("two.")
    const read = joined?.stream.getReader()
    let text = ""
    while (!text.includes("two.")) text += (await read?.read())?.value ?? ""
    expect(text).toBe("One two.")
    await client.chat.stop(first.chatId)
    await call.left
    expect(await client.chat.join(first.chatId)).toBeUndefined()
  })

  test("ends the stream with an error if the reply breaks off", async () => {
    const asked = server.model.nextCall()
    const sending = clientOf("cid").chat.send({ message: "Tell me." })
    const call = await asked
    call.say("One ")
    const { done, stream } = await sending
    call.fail("unavailable")
    expect((await refused(reading(stream))).code).toBe("incomplete_reply")
    expect((await refused(done)).code).toBe("incomplete_reply")
  })
})

describe("retries", () => {
  /** A network that loses the first responses, or answers them itself. */
  const losing = (...lost: ReadonlyArray<Response | "lost">) => {
    const urls: Array<string> = []
    const left = [...lost]
    const send: typeof fetch = async (input, init) => {
      urls.push(`${init?.method} ${String(input)}`)
      const answer = left.shift()
      if (answer instanceof Response) return answer
      const real = await fetch(input, init)
      if (answer === undefined) return real
      await real.text()
      throw new TypeError("The connection broke.")
    }
    return { send, urls }
  }
  const busy = (seconds: string) =>
    Response.json({ code: "server_busy", detail: "Busy." }, { status: 503, headers: { "retry-after": seconds } })

  test("a message whose response was lost is sent again, and charged and stored once", async () => {
    const { send, urls } = losing("lost")
    const client = clientOf("dan")
    const before = await client.billing.balance()
    const asks = server.model.requests
    const { chatId, done } = await clientOf("dan", send).chat.send({ message: "Once?" })
    const { credits } = await done
    expect(urls.map((url) => url.split(" ")[0])).toEqual(["POST", "POST", "GET"])
    expect(server.model.requests - asks).toBe(1)
    expect((await client.chat.get(chatId)).messages.map(({ content }) => content)).toEqual(["Once?", "Hello there."])
    expect(before.available - (await client.billing.balance()).available).toBe(credits)
  })

  test("a read waits as long as the server asks, a few times at most", async () => {
    const one = losing(busy("0"), busy("0"))
    expect((await clientOf("dan", one.send).billing.balance()).held).toBe(0)
    expect(one.urls).toHaveLength(3)
    const many = losing(busy("0"), busy("0"), busy("0"))
    expect(await refused(clientOf("dan", many.send).billing.balance())).toMatchObject({
      code: "server_busy",
      status: 503,
      retryAfter: 0,
      message: "Busy."
    })
    expect(many.urls).toHaveLength(3)
  })

  test("a pause that is too long is the caller's to decide", async () => {
    const { send, urls } = losing(busy("3600"))
    expect(await refused(clientOf("dan", send).billing.balance())).toMatchObject({ retryAfter: 3_600 })
    expect(urls).toHaveLength(1)
  })

  test("what may have an effect twice is sent once", async () => {
    const { send, urls } = losing("lost")
    const client = clientOf("dan", send)
    expect((await refused(client.bots.create({ displayName: "Bot" }))).code).toBe("network_error")
    expect(urls).toHaveLength(1)
    expect(await client.bots.list()).toHaveLength(1)
  })

  test("the caller ends the wait", async () => {
    const leaving = new AbortController()
    const { send } = losing(busy("10"))
    const call = clientOf("dan", send).billing.balance({ signal: leaving.signal })
    leaving.abort()
    expect((await refused(call)).code).toBe("aborted")
  })
})

describe("any operation", () => {
  test("is called by its id: as the parsed body, nothing, or the response of a file", async () => {
    const client = clientOf("call")
    expect(await client.call("listChats", { query: { limit: 1, search: undefined } })).toMatchObject({
      chats: [],
      limit: 1
    })
    const { documentId } = await client.documents.upload(file("storks.txt", "Storks return in March."))
    await client.documents.waitUntilReady(documentId)
    const stored = await client.call("getDocumentFile", { path: { id: documentId } })
    expect(await stored.text()).toBe("Storks return in March.")
    expect(await client.call("deleteDocument", { path: { id: documentId } })).toBeUndefined()
    expect((await refused(client.call("listPeople", { query: { blocked: true } }))).code).toBe("role_missing")
  })
})

describe("failures", () => {
  test("have the code of the server's problem and its further members", async () => {
    const client = clientOf("eve")
    const error = await refused(client.chat.send({ message: "Hi", model: "model-a-turbo" }))
    expect(error).toMatchObject({ code: "model_not_allowed", status: 403, retryAfter: undefined })
    expect(error.details).toMatchObject({ model: "model-a-turbo", tier: "free" })
    const code: ParleyErrorCode = error.code
    expect(code).toBe("model_not_allowed")
  })

  test("of people who are not signed in, and of servers that are not reached", async () => {
    const nobody = createParleyClient({ baseUrl: server.url })
    expect((await refused(nobody.me())).code).toBe("unauthorized")
    expect(await nobody.session()).toBeNull()
    const nowhere = createParleyClient({ baseUrl: "http://127.0.0.1:1" })
    expect((await refused(nowhere.bots.create({ displayName: "Bot" }))).code).toBe("network_error")
  })

  test("of an upload whose answer comes from a page in the way, such as a network's sign-in, reject", async () => {
    /** Answers each upload with a page, as a network that asks for a sign-in does. */
    class PageInTheWay {
      readonly upload = {}
      readonly status = 200
      readonly responseText = "<h1>Sign in to this network</h1>"
      onload = () => {}
      open() {}
      setRequestHeader() {}
      send() {
        this.onload()
      }
    }
    vi.stubGlobal("XMLHttpRequest", PageInTheWay)
    try {
      const upload = clientOf("fay").documents.upload(file("a.txt", "Some text."), { onProgress: () => {} })
      expect((await refused(upload)).code).toBe("network_error")
    } finally {
      vi.unstubAllGlobals()
    }
  })

  test("of a proxy without a problem have its status", async () => {
    const client = createParleyClient({
      baseUrl: "http://localhost",
      fetch: async () => new Response("<h1>Bad Gateway</h1>", { status: 418 })
    })
    expect(await refused(client.me())).toMatchObject({ code: "internal_error", status: 418, details: {} })
  })
})

describe("the other calls", () => {
  test("documents are listed, read, and deleted; one that cannot be read is a failure", async () => {
    const client = clientOf("fay")
    const parts: Array<number> = []
    const { documentId } = await client.documents.upload(file("a.txt", "Some text."), {
      onProgress: (part) => parts.push(part)
    })
    expect(parts.at(-1)).toBe(1)
    expect((await client.documents.waitUntilReady(documentId)).status).toBe("ready")
    expect((await client.documents.text(documentId)).text).toBe("Some text.")
    expect((await fetch(client.documents.fileUrl(documentId))).status).toBe(401)
    const locked = await client.documents.upload(file("b.txt", "locked"))
    const error = await refused(client.documents.waitUntilReady(locked.documentId))
    expect(error).toMatchObject({ code: "document_failed", details: { reasonCode: "password" } })
    await client.documents.delete(documentId)
    expect((await client.documents.list()).map(({ id }) => id)).toEqual([locked.documentId])
  })

  test("balance, history, plans, usage, models and the person", async () => {
    const client = clientOf("gus")
    const { done } = await client.chat.send({ message: "Hi" })
    await done
    const { available, held } = await client.billing.balance()
    expect([held, available]).toEqual([0, expect.any(Number)])
    const { total, transactions } = await client.billing.history({ type: "usage", limit: 1 })
    expect([total, transactions[0]?.balance_after]).toEqual([1, available])
    expect((await client.billing.plans()).plans.map(({ id }) => id)).toContain("free")
    expect(await client.billing.invoices()).toEqual([])
    expect((await client.usage()).usage[0]).toMatchObject({ source: "chat", replies: 1 })
    expect((await client.models()).models[0]).toMatchObject({ id: "model-a-mini", allowed: true })
    expect(await client.me()).toMatchObject({ userId: "gus", tier: { id: "free" } })
    expect(await client.signOut()).toEqual({ url: null })
  })

  test("bots are made, changed, given keys, and deleted", async () => {
    const client = clientOf("hal")
    const bot = await client.bots.create({ displayName: "Shop" })
    expect((await client.bots.update(bot.id, { active: false })).active).toBe(false)
    const two = await client.bots.createKey(bot.id)
    expect(two.keys).toHaveLength(2)
    expect((await client.bots.deleteKey(bot.id, two.keys[0]?.publicKey ?? "")).keys).toHaveLength(1)
    expect((await client.bots.conversations(bot.id)).conversations).toEqual([])
    expect(await client.bots.crm(bot.id)).toEqual([])
    await client.bots.delete(bot.id)
    expect(await client.bots.list()).toEqual([])
  })
})
