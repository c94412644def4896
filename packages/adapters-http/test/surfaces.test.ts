import { Effect, Stream } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import express from "express"
import { parleyRouter, routes } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { completed, text } from "./support/ScriptedModel.ts"
import { startServer, type TestServer, type TestServerOptions } from "./support/startServer.ts"
import { overNode, surfaces } from "./support/surfaces.ts"
import { untilStill } from "./support/untilStill.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }
const decoder = new TextDecoder()

/** The guarantees of each way to serve the routes. */
describe.each(surfaces)("%s", (_, surface) => {
  let server: TestServer
  afterEach(() => server.close())
  const start = async (options: TestServerOptions = {}) => {
    server = await startServer({ ...options, surface })
  }
  const balance = () => server.parley.credits.balance(ANN)
  const usage = async () => {
    const { transactions } = await server.parley.credits.history({ userId: ANN, limit: 50, offset: 0, type: "usage" })
    return transactions
  }
  const ask = (signal?: AbortSignal) =>
    server.fetch("/api/chat", {
      method: "POST",
      user: ANN,
      body: JSON.stringify(hello),
      headers: { "content-type": "application/json" },
      ...(signal === undefined ? {} : { signal })
    })
  const readerOf = (response: Response) => (response.body as ReadableStream<Uint8Array>).getReader()

  test("a route answers with its headers and the request's id", async () => {
    await start()
    const response = await server.fetch("/healthz", { headers: { "x-request-id": "mine" } })
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { status: "ok" } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": "mine"
    })
    const other = await server.fetch("/healthz", { headers: { "x-request-id": "not a word" } })
    expect(other.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/)
    await other.text()
  })

  test("every answer of a route has the headers that protect browsers, and no CORS", async () => {
    await start()
    for (const [path, method] of [
      ["/healthz", "GET"],
      ["/healthz", "PUT"],
      ["/api/me", "GET"],
      ["/api/chats/%zz", "GET"]
    ] as const) {
      const response = await server.fetch(path, { method, headers: { origin: "https://elsewhere.example" } })
      await response.text()
      const headers = Object.fromEntries(response.headers)
      expect(headers, path).toMatchObject({
        "content-security-policy":
          "default-src 'none';script-src 'self';style-src 'self';img-src 'self';font-src 'self';connect-src 'self';" +
          "form-action 'self';base-uri 'none';frame-ancestors 'none'",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin"
      })
      expect(headers).not.toHaveProperty("strict-transport-security")
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([])
    }
  })

  test("over https every answer of a route has browsers use https for a year, subdomains included", async () => {
    await start({ app: { baseUrl: "https://parley.example" } })
    for (const path of ["/healthz", "/api/me"]) {
      const { headers } = await server.fetch(path)
      expect(headers.get("strict-transport-security"), path).toBe("max-age=31536000; includeSubDomains")
      expect(headers.get("content-security-policy"), path).toContain(";upgrade-insecure-requests")
    }
  })

  test("HEAD is GET without the body", async () => {
    await start()
    const response = await server.fetch("/healthz", { method: "HEAD" })
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: "" })
    expect(response.headers.get("content-length")).toBe("15")
  })

  test("paths are taken by the letter, with or without a slash at their end", async () => {
    await start()
    expect((await server.fetch("/healthz/")).status).toBe(200)
    for (const path of ["/Healthz", "/healthz/x", "/", "/api", "/api/chats/x/y", "//healthz"]) {
      await expectProblem(await server.fetch(path), 404, "not_found")
    }
    await expectProblem(await server.fetch("/api/chats/%zz", { user: ANN }), 400, "invalid_request")
    const answer = await server.fetch("/api/chats/a%2Fb", { user: ANN })
    expect(await expectProblem(answer, 400, "invalid_request")).toMatchObject({ issues: [{ path: "id" }] })
  })

  test("a method that a path does not have is 405 and says which it has", async () => {
    await start()
    const response = await server.fetch("/api/chat", { method: "PUT", body: "x", user: ANN })
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST")
    expect(await expectProblem(response, 405, "method_not_allowed")).toMatchObject({ allowed: ["GET", "HEAD", "POST"] })
    await expectProblem(await server.fetch("/healthz", { method: "OPTIONS" }), 405, "method_not_allowed")
  })

  test("a caller without access is refused before any byte of the body is read", async () => {
    await start()
    for (const { access, method, path } of routes) {
      if (access.name !== "session") continue
      const answer = await server.fetch(path.replace("{id}", "x"), {
        method,
        ...(method === "POST" ? { body: "x" } : {})
      })
      await expectProblem(answer, 401, "unauthorized")
    }
    const elsewhere = { "sec-fetch-site": "cross-site", "content-type": "application/json" }
    const sent = await server.fetch("/api/rag", { method: "POST", user: ANN, body: "{}", headers: elsewhere })
    await expectProblem(sent, 403, "cross_site_request")
  })

  test("queries and headers reach their route, and what is wrong with them is said", async () => {
    await start()
    const page = await server.fetch("/api/chats?limit=7&offset=2", { user: ANN })
    expect(await page.json()).toMatchObject({ limit: 7, offset: 2, total: 0 })
    await expectProblem(await server.fetch("/api/chats?limit=7&limit=8", { user: ANN }), 400, "invalid_request")
    const keys = { "content-type": "application/json", "idempotency-key": "a key" }
    const body = JSON.stringify(hello)
    await expectProblem(
      await server.fetch("/api/chat", { method: "POST", user: ANN, body, headers: keys }),
      400,
      "invalid_request"
    )
  })

  test("a reader sees the first words before the last are written, and the end after the reply is settled", async () => {
    await start()
    const calling = server.model.nextCall()
    const responding = ask()
    const call = await calling
    call.say("First words, ")
    const response = await responding
    expect(response.headers.get("x-chat-id")).toMatch(/^[\da-f-]{36}$/)
    const reader = readerOf(response)
    expect(decoder.decode((await reader.read()).value)).toBe("First words, ")
    call.say("last words.")
    expect(decoder.decode((await reader.read()).value)).toBe("last words.")
    call.complete()
    expect((await reader.read()).done).toBe(true)
    expect(await balance()).toMatchObject({ held: 0 })
    expect(await usage()).toMatchObject([{ receipt: { ended: "completed" } }])
  })

  test("a reader that falls behind holds back the model, and gets all of it in the end", async () => {
    const models = {
      "model-a-mini": { creditsPer1kOutput: 0, maxOutputTokens: 100_000_000, contextTokens: 200_000_000 }
    }
    await start({ parley: { config: { models } } })
    let produced = 0
    const piece = "x".repeat(64 * 1024)
    server.model.answer = () =>
      Stream.unfold(0, (count: number) =>
        Effect.sync(() => {
          produced = count
          return count > 500 ? undefined : ([count < 500 ? text(piece) : completed, count + 1] as const)
        })
      ).pipe(Stream.rechunk(1))
    const response = await ask()
    await untilStill(() => produced)
    expect(produced).toBeLessThan(300)
    expect((await response.text()).length).toBe(500 * piece.length)
  })

  test("a reader that takes nothing for too long is given up, and the model with it", async () => {
    await start({ app: { stalledReaderMs: 50 } })
    const { promise: left, resolve } = Promise.withResolvers<void>()
    server.model.answer = () =>
      Stream.fromEffectRepeat(Effect.succeed(text("x".repeat(64 * 1024)))).pipe(
        Stream.rechunk(1),
        Stream.ensuring(Effect.sync(() => resolve()))
      )
    const response = await ask()
    await left
    await server.requests.idle()
    await expect(response.text()).rejects.toThrow()
    expect(await balance()).toMatchObject({ held: 0 })
  })

  test("a model that fails before its first words is a problem, half-way it breaks the answer off", async () => {
    await start()
    const first = server.model.nextCall()
    const responding = ask()
    ;(await first).fail("unavailable")
    await expectProblem(await responding, 500, "provider_unavailable")

    const second = server.model.nextCall()
    const again = ask()
    const call = await second
    call.say("Half of")
    const reader = readerOf(await again)
    expect(decoder.decode((await reader.read()).value)).toBe("Half of")
    call.fail("cut-off")
    await expect(reader.read()).rejects.toThrow()
    await server.requests.idle()
    expect(await usage()).toMatchObject([{ receipt: { ended: "failed" } }])
  })

  test("a client that leaves before the first words stops the model and pays nothing", async () => {
    await start()
    const calling = server.model.nextCall()
    const leaving = new AbortController()
    const responding = ask(leaving.signal).catch(() => undefined)
    const call = await calling
    expect((await balance()).held).toBeGreaterThan(0)
    leaving.abort()
    await call.left
    await responding
    await server.requests.idle()
    expect(await balance()).toMatchObject({ held: 0, available: 100 })
    expect(await usage()).toEqual([])
  })

  test("a client that leaves half-way stops the model and pays for what was delivered", async () => {
    await start()
    const calling = server.model.nextCall()
    const responding = ask()
    const call = await calling
    call.say("Half of")
    const reader = readerOf(await responding)
    await reader.read()
    await reader.cancel()
    await call.left
    await server.requests.idle()
    expect(await balance()).toMatchObject({ held: 0, available: 99 })
    expect(await usage()).toMatchObject([{ receipt: { ended: "stopped" } }])
  })

  test("a file is stored, a form that is none refused", async () => {
    await start()
    const upload = (body: BodyInit) => server.fetch("/api/upload", { method: "POST", user: ANN, body })
    const form = new FormData()
    form.append("file", new File(["mine"], "mine.txt"))
    expect(await (await upload(form)).json()).toMatchObject({ filename: "mine.txt" })
    form.append("file", new File(["too"], "too.txt"))
    await expectProblem(await upload(form), 400, "invalid_upload")
    await expectProblem(await upload("no form"), 400, "invalid_upload")
    expect(await server.parley.documents.list(ANN)).toHaveLength(1)
  })

  /** A body of this many pieces, which never ends if `ends` is false. */
  const bodyOf = (piece: string, pieces: number, ends = true) => {
    let left = pieces
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (left-- > 0) controller.enqueue(Buffer.from(piece))
        else if (ends) controller.close()
        else await new Promise<never>(() => undefined)
      }
    })
  }
  const send = (path: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal) =>
    server.fetch(path, {
      method: "POST",
      user: ANN,
      body,
      headers: { "content-type": "application/json" },
      duplex: "half",
      ...(signal === undefined ? {} : { signal })
    } as RequestInit)

  test("JSON may have any number of pieces and no more bytes than the limit", async () => {
    await start()
    const text = JSON.stringify({ ...hello, more: "é".repeat(50_000) })
    const whole = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.byteLength; at += 999) controller.enqueue(bytes.subarray(at, at + 999))
        controller.close()
      }
    })
    expect(await (await send("/api/chat", whole)).text()).toBe("Hello there.")
    await expectProblem(await send("/api/rag", bodyOf(" ".repeat(64 * 1024), 17)), 413, "payload_too_large")
    await expectProblem(await send("/api/rag", bodyOf("", 0)), 400, "invalid_request")
  })

  test("a body that stops coming is answered 408, one that breaks off by nothing", async () => {
    await start({ app: { bodyPace: { windowMs: 300, bytesPerWindow: 1_000 } } })
    const stalled = new AbortController()
    await expectProblem(await send("/api/rag", bodyOf("{", 1, false), stalled.signal), 408, "request_too_slow")
    stalled.abort()
    const leaving = new AbortController()
    const sending = send("/api/rag", bodyOf("x".repeat(600), 100_000, false), leaving.signal).catch(() => undefined)
    leaving.abort()
    await sending
    await server.requests.idle()
  })

  test("a mount prefix is part of paths, cookies and the documentation", async () => {
    await start({ prefix: "/api-root" })
    await expectProblem(await server.fetch("/healthz"), 404, "not_found")
    await expectProblem(await server.fetch("/api-rooth/healthz"), 404, "not_found")
    await expectProblem(await server.fetch("/api-root"), 404, "not_found")
    expect((await server.fetch("/api-root/healthz")).status).toBe(200)
    expect((await server.fetch("/api-root/api/chats?limit=3", { user: ANN })).status).toBe(200)
    const signIn = await server.post("/api-root/dev/sign-in", { email: "ann@example.com" })
    expect(signIn.headers.get("set-cookie")).toContain("Path=/api-root;")
    await signIn.text()
    const signOut = await server.post("/api-root/dev/sign-out", {})
    expect(signOut.headers.get("set-cookie")).toContain("Path=/api-root;")
    const document = (await (await server.fetch("/api-root/openapi.json")).json()) as {
      servers: unknown
      paths: object
    }
    expect(document.servers).toEqual([{ url: "/api-root" }])
    expect(Object.keys(document.paths)).toContain("/healthz")
  })

  test.each([
    ["http://chat.example.com", "http://chat.example.com/api-root", "Path=/api-root;"],
    ["http://chat.example.com/seen/", "http://chat.example.com/seen", "Path=/seen;"],
    // The prefix of this cookie's name requires the root.
    ["https://chat.example.com", "https://chat.example.com/api-root", "Path=/;"]
  ])("with the base URL %s people reach the routes at %s", async (baseUrl, address, path) => {
    await start({ prefix: "/api-root", app: { baseUrl } })
    const document = (await (await server.fetch("/api-root/openapi.json")).json()) as { servers: unknown }
    expect(document.servers).toEqual([{ url: address }])
    const signIn = await server.post("/api-root/dev/sign-in", { email: "ann@example.com" })
    expect(signIn.headers.get("set-cookie")).toContain(path)
    await signIn.text()
  })
})

test("of an application on Express that sets security headers itself, its own stay", async () => {
  const surface = overNode((options) =>
    express()
      .use((_, response, next) => {
        response.setHeader("content-security-policy", "default-src https:")
        next()
      })
      .use(parleyRouter(options))
  )
  const server = await startServer({ surface })
  const { headers } = await server.fetch("/healthz")
  expect(headers.get("content-security-policy")).toBe("default-src https:")
  expect(headers.get("x-frame-options")).toBe("DENY")
  await server.close()
})
