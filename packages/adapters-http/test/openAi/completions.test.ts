import { Stream } from "effect"
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError
} from "openai"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectOpenAiError } from "../support/expectOpenAiError.ts"
import { completed, ScriptedModel, text } from "../support/ScriptedModel.ts"
import { startServer, type TestServer } from "../support/startServer.ts"

let server: TestServer
let asked = 0
const person = () => `person-${++asked}`
const reply = new ScriptedModel().answer
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => {
  server.model.answer = reply
})
afterAll(() => server.close())

const clientOf = (apiKey = server.serviceKey.key) =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0, logLevel: "off" })

const hello = (user: string): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model: "model-a-mini",
  user,
  messages: [{ role: "user", content: "Hello" }]
})

const create = (more: object, client = clientOf()) => client.chat.completions.create({ ...hello(person()), ...more })

const send = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  server.fetch("/v1/chat/completions", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${server.serviceKey.key}`, ...headers }
  })

const usageRows = async (userId: string) =>
  (await server.parley.credits.history({ userId, limit: 50, offset: 0, type: "usage" })).transactions

/** The usage as Parley reports it. */
type Charged = OpenAI.CompletionUsage & { readonly credits: number }

describe("OpenAI's client for Node", () => {
  test("gets a whole reply, its usage and its price, which the person in user pays", async () => {
    const user = person()
    const answer = await clientOf().chat.completions.create(hello(user))
    expect(answer).toMatchObject({
      object: "chat.completion",
      model: "model-a-mini",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there." } }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 0 } }
    })
    const { credits } = answer.usage as Charged
    expect(credits).toBeGreaterThan(0)
    expect(await usageRows(user)).toMatchObject([{ amount: -credits, source: `key:${server.serviceKey.id}` }])
    expect(await server.parley.credits.balance(user)).toMatchObject({ available: 100 - credits, held: 0 })
  })

  test("gets a streamed reply, with its usage before the end if it asks for that", async () => {
    const user = person()
    const ask = { ...hello(user), stream: true as const }
    const chunks = []
    for await (const chunk of await clientOf().chat.completions.create({
      ...ask,
      stream_options: { include_usage: true }
    })) {
      chunks.push(chunk)
    }
    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("")).toBe("Hello there.")
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant")
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop")
    const [row] = await usageRows(user)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15, credits: -(row?.amount ?? 0) } })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)

    const plain = await send(ask)
    expect(plain.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    const events = await plain.text()
    expect(events).not.toContain("usage")
    expect(events.endsWith("data: [DONE]\n\n")).toBe(true)
  })

  test("lists the models that the server can run", async () => {
    const ids = []
    for await (const { id } of clientOf().models.list()) ids.push(id)
    expect(ids).toContain("model-a-mini")
    for (const id of ids)
      expect((await create({ model: id }).catch((error: unknown) => error)) as object).not.toBeInstanceOf(NotFoundError)
  })

  test("sends texts and parts, and the model reads instructions first and nothing of Parley's", async () => {
    const calling = server.model.nextCall()
    const answering = create({
      messages: [
        { role: "user", content: "One?" },
        { role: "assistant", content: [{ type: "text", text: "One." }] },
        { role: "system", content: "Be brief." },
        {
          role: "developer",
          content: [
            { type: "text", text: "Be" },
            { type: "text", text: "kind." }
          ]
        },
        { role: "user", content: [{ type: "text", text: "Two?" }] }
      ],
      temperature: 0.3,
      top_p: 0.9,
      seed: 7,
      metadata: { a: "b" },
      n: 1,
      stop: null,
      response_format: { type: "text" }
    })
    const call = await calling
    expect(call.request.messages).toEqual([
      { role: "system", content: "Be brief.\n\nBe\nkind." },
      { role: "user", content: "One?" },
      { role: "assistant", content: "One." },
      { role: "user", content: "Two?" }
    ])
    call.say("Two.")
    call.complete()
    expect((await answering).choices[0]?.message.content).toBe("Two.")
  })

  test("sends no half of a character, whose halves a client in Python would not join", async () => {
    const calling = server.model.nextCall()
    const streaming = create({ stream: true }) as unknown as Promise<AsyncIterable<OpenAI.ChatCompletionChunk>>
    const call = await calling
    for (const words of ["Yes", ` ${"🎉".charAt(0)}`, "🎉".charAt(1), "."]) call.say(words)
    call.complete()
    const pieces = []
    for await (const { choices } of await streaming) pieces.push(choices[0]?.delta.content ?? "")
    expect(pieces.join("")).toBe("Yes 🎉.")
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
  })

  test("bounds the reply, which holds fewer credits and ends with the reason length", async () => {
    const user = person()
    const calling = server.model.nextCall()
    const answering = create({ ...hello(user), max_tokens: 40, max_completion_tokens: 30 })
    const call = await calling
    expect(call.request.maxOutputTokens).toBe(30)
    const { held } = await server.parley.credits.balance(user)
    call.say("Hello")
    call.complete()
    await answering
    const longest = server.model.nextCall()
    const unbounded = create(hello(user))
    const other = await longest
    expect((await server.parley.credits.balance(user)).held).toBeGreaterThan(held)
    other.say("Hello")
    other.complete()
    await unbounded
    server.model.answer = () => Stream.make(text("Cut"), { ...completed, reason: "length" } as typeof completed)
    expect((await create({})).choices[0]?.finish_reason).toBe("length")
  })

  test("keeps the conversation itself: the person's chat has the newest message and the reply alone", async () => {
    const user = person()
    await create({
      ...hello(user),
      messages: [
        { role: "system", content: "A secret of the tool." },
        { role: "user", content: "Before" },
        { role: "assistant", content: "Earlier" },
        { role: "user", content: "Now" }
      ]
    })
    const { chats } = await server.parley.chat.list({ userId: user, limit: 10, offset: 0 })
    expect(chats).toMatchObject([{ title: "Now" }])
    const { messages } = await server.parley.chat.get(user, chats[0]?.id ?? "")
    expect(messages.map(({ content, role }) => [role, content])).toEqual([
      ["user", "Now"],
      ["assistant", "Hello there."]
    ])
  })
})

describe("a refusal is the client's own class of errors", () => {
  const refused = async (more: object, client = clientOf()) =>
    create(more, client).then(
      () => expect.fail("It was answered."),
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>
    )

  test("for a wrong key and for a key without the scope", async () => {
    const wrong = await refused({}, clientOf("sk-wrong"))
    expect(wrong).toBeInstanceOf(AuthenticationError)
    expect(wrong).toMatchObject({ status: 401, code: "service_key_invalid", type: "authentication_error" })
    const { key } = await server.parley.keys.create({ name: "another", scopes: ["credits:read"] })
    const scopeless = await refused({}, clientOf(key))
    expect(scopeless).toBeInstanceOf(PermissionDeniedError)
    expect(scopeless).toMatchObject({ code: "scope_missing", error: { scope: "chat:complete" } })
  })

  test("for a model that does not exist, and for one that the person's tier does not include", async () => {
    const unknown = await refused({ model: "gpt-nothing" })
    expect(unknown).toBeInstanceOf(NotFoundError)
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model" })
    expect(String(unknown)).not.toContain("gpt-nothing")
    const notAllowed = await refused({ model: "model-a" })
    expect(notAllowed).toBeInstanceOf(PermissionDeniedError)
    expect(notAllowed).toMatchObject({ code: "model_not_allowed", param: "model" })
  })

  test("for a person without credits (402), with the figures", async () => {
    const user = person()
    await server.parley.credits.balance(user)
    await server.parley.credits.reserve({ userId: user, key: "all", amount: 100, source: "meter:other" })
    const poor = await refused(hello(user))
    expect(poor).toMatchObject({
      status: 402,
      code: "insufficient_credits",
      type: "insufficient_quota",
      error: { available: 0 }
    })
  })

  test("for a blocked person, and nothing is charged", async () => {
    const user = person()
    await server.parley.users.block(user)
    expect(await refused(hello(user))).toMatchObject({ status: 403, code: "blocked", type: "permission_error" })
  })

  test("for too many replies at once (429), with the time to wait", async () => {
    const busy = await startServer({ parley: { config: { tiers: { free: { maxConcurrentReplies: 1 } } } } })
    try {
      const client = new OpenAI({
        baseURL: `${busy.url}/v1`,
        apiKey: busy.serviceKey.key,
        maxRetries: 0,
        logLevel: "off"
      })
      const calling = busy.model.nextCall()
      const first = client.chat.completions.create(hello("ann"))
      const call = await calling
      const second = await client.chat.completions.create(hello("ann")).catch((error: unknown) => error)
      expect(second).toBeInstanceOf(RateLimitError)
      expect(second).toMatchObject({ code: "too_many_replies", type: "rate_limit_error" })
      expect((second as RateLimitError).headers?.get("retry-after")).toBe("2")
      call.say("Hello")
      call.complete()
      await first
    } finally {
      await busy.close()
    }
  })

  test("for a vendor that fails, which costs nothing and shows no words of the vendor's", async () => {
    const user = person()
    const calling = server.model.nextCall()
    const failing = refused(hello(user))
    ;(await calling).fail("rate-limited", { retryAfterMs: 7_000, fault: "words of the vendor" })
    const error = await failing
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ code: "provider_rate_limited", type: "server_error" })
    expect(error.headers?.get("retry-after")).toBe("7")
    expect(JSON.stringify(error)).not.toContain("words of the vendor")
    expect(await server.parley.credits.balance(user)).toMatchObject({ available: 100, held: 0 })
  })

  test("for a whole reply that breaks off: its text is charged, so the client does not ask again by itself", async () => {
    const user = person()
    const calling = server.model.nextCall()
    const client = clientOf().withOptions({ maxRetries: 3 })
    const before = server.model.requests
    const failing = refused(hello(user), client)
    const call = await calling
    call.say("Half")
    call.fail("stalled")
    expect(await failing).toMatchObject({ status: 500, code: "model_failed" })
    expect(server.model.requests).toBe(before + 1)
    expect(await usageRows(user)).toHaveLength(1)
  })

  test("for a streamed reply that breaks off after its words", async () => {
    const user = person()
    const calling = server.model.nextCall()
    const streaming = clientOf().chat.completions.create({ ...hello(user), stream: true })
    const call = await calling
    call.say("Half")
    const read: Array<string> = []
    const reading = (async () => {
      for await (const { choices } of await streaming) {
        const words = choices[0]?.delta.content ?? ""
        read.push(words)
        if (words === "Half") call.fail("stalled")
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: "provider_unavailable" })
    expect(read.join("")).toBe("Half")
    expect(await usageRows(user)).toHaveLength(1)
  })
})

describe("a request with an idempotency key", () => {
  test("is answered again and charged once, whole or streamed, and other content is refused", async () => {
    const user = person()
    const key = { "idempotency-key": "order-7" }
    const first = (await (await send(hello(user), key)).json()) as OpenAI.ChatCompletion
    const again = (await (await send(hello(user), key)).json()) as OpenAI.ChatCompletion
    expect(again).toEqual({ ...first, created: again.created })
    expect(await (await send({ ...hello(user), stream: true }, key)).text()).toContain(first.id)
    expect(await usageRows(user)).toHaveLength(1)
    for (const more of [{ max_tokens: 9 }, { messages: [{ role: "user", content: "Other" }] }]) {
      await expectOpenAiError(await send({ ...hello(user), ...more }, key), 422, "idempotency_conflict")
    }
    const instructed = [{ role: "system", content: "Be brief." }, ...hello(user).messages]
    await expectOpenAiError(await send({ ...hello(user), messages: instructed }, key), 422, "idempotency_conflict")
  })

  test("is separate from those of other services and from the person's own", async () => {
    const user = person()
    const headers = { "idempotency-key": "1", "content-type": "application/json" }
    const { key } = await server.parley.keys.create({ name: "another", scopes: ["chat:complete"] })
    expect((await send(hello(user), headers)).status).toBe(200)
    expect((await send({ ...hello(user), max_tokens: 9 }, { ...headers, authorization: `Bearer ${key}` })).status).toBe(
      200
    )
    const own = await server.fetch("/api/chat", {
      method: "POST",
      user,
      headers,
      body: JSON.stringify({ messages: [{ role: "user", content: "Other" }] })
    })
    expect(own.status).toBe(200)
    await own.text()
  })
})

test.each([true, false])("a client that leaves ends the reply, and pays its text (stream: %s)", async (stream) => {
  const user = person()
  const calling = server.model.nextCall()
  const leaving = new AbortController()
  const client = clientOf()
  const answering = client.chat.completions.create({ ...hello(user), stream }, { signal: leaving.signal })
  const call = await calling
  call.say("Half")
  if (stream) {
    for await (const { choices } of (await answering) as AsyncIterable<OpenAI.ChatCompletionChunk>) {
      if (choices[0]?.delta.content === "Half") break
    }
  } else {
    await expect.poll(async () => (await server.parley.chat.list({ userId: user, limit: 1, offset: 0 })).total).toBe(1)
  }
  leaving.abort()
  await answering.catch(() => undefined)
  await call.left
  await server.requests.idle()
  expect(await usageRows(user)).toMatchObject([{ receipt: { ended: "stopped" } }])
  expect(await server.parley.credits.balance(user)).toMatchObject({ held: 0 })
})

test("a wrong method and a body that is not JSON are refused in the same form", async () => {
  await expectOpenAiError(await server.fetch("/v1/chat/completions"), 405, "method_not_allowed")
  const broken = await expectOpenAiError(await send("{"), 400, "invalid_request")
  expect(broken).toMatchObject({ param: null, type: "invalid_request_error" })
  expect(await create({ messages: [] }).catch((error: unknown) => error)).toBeInstanceOf(BadRequestError)
})
