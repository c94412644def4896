import type { IncomingMessage } from "node:http"
import express, { type NextFunction, type RequestHandler, type Response } from "express"
import { afterEach, describe, expect, test } from "vitest"
import { answerError, answerNotFound, parleyRouter } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }

let server: TestServer
afterEach(() => server.close())

/** A server on which other handlers see each request before Parley does. */
const startBehind = async (...before: ReadonlyArray<RequestHandler>) => {
  server = await startServer({
    listener: (options) => {
      const app = express()
      for (const handler of before) app.use(handler)
      return app.use(parleyRouter(options), answerNotFound, answerError)
    }
  })
}

/** Reads a body to its end and keeps nothing, as an upload handler does that writes files elsewhere. */
const readAway = (request: IncomingMessage, _response: unknown, next: NextFunction) => {
  request.resume().once("end", () => next())
}

/** Reads the first bytes of a body and calls the next handler before the rest. */
const readStart = (request: IncomingMessage, _response: Response, next: NextFunction) => {
  request.once("data", () => {
    request.pause()
    next()
  })
}

const form = (...contents: ReadonlyArray<string>) => {
  const body = new FormData()
  for (const content of contents) body.append("file", new File([content], "a.txt"))
  return body
}
const upload = (body: FormData) => server.fetch("/api/upload", { method: "POST", user: ANN, body })

describe.each<readonly [string, RequestHandler]>([
  ["express.json()", express.json({ limit: "10mb", type: "*/*" })],
  ["express.raw()", express.raw({ limit: "10mb", type: "*/*" })],
  ["express.text()", express.text({ limit: "10mb", type: "*/*" })]
])("a JSON body that %s has read", (_, parser) => {
  test("is answered as one that nothing has read", async () => {
    await startBehind(parser)
    const reply = await server.post("/api/chat", hello, ANN)
    expect({ status: reply.status, text: await reply.text() }).toEqual({ status: 200, text: "Hello there." })
    await expectProblem(await server.post("/api/rag", { documentId: "x" }, ANN), 400, "invalid_document_id")
  })

  test("is held to the same form", async () => {
    await startBehind(parser)
    const problem = await expectProblem(
      await server.post("/api/chat", { messages: [{ role: "root", content: 7 }] }, ANN),
      422,
      "invalid_chat_request"
    )
    expect(JSON.stringify(problem["issues"])).toContain("messages[0].role")
    await expectProblem(await server.post("/api/rag", { documentId: 7 }, ANN), 400, "invalid_request")
    await expectProblem(await server.post("/api/rag", [], ANN), 400, "invalid_request")
  })

  test("is held to the same size", async () => {
    await startBehind(parser)
    const fits = { ...hello, more: ["x".repeat(1_000_000)] }
    expect((await server.post("/api/chat", fits, ANN)).status).toBe(200)
    const long = { ...hello, more: ["x".repeat(600_000), { again: "x".repeat(600_000) }] }
    await expectProblem(await server.post("/api/chat", long, ANN), 413, "payload_too_large")
    const wide = { ...hello, more: Array.from({ length: 600_000 }, () => 1) }
    await expectProblem(await server.post("/api/chat", wide, ANN), 413, "payload_too_large")
  })

  test("of another content type is refused as it always is", async () => {
    await startBehind(parser)
    const response = await server.fetch("/api/chat", {
      method: "POST",
      user: ANN,
      body: JSON.stringify(hello),
      headers: { "content-type": "text/plain" }
    })
    await expectProblem(response, 422, "invalid_chat_request")
  })
})

describe("a body that is gone", () => {
  test.each<readonly [string, RequestHandler]>([
    ["read to its end", readAway],
    ["read in part", readStart]
  ])("%s is refused at once, with what to do", async (_, handler) => {
    await startBehind(handler)
    const problem = await expectProblem(await server.post("/api/chat", hello, ANN), 500, "body_already_read")
    expect(problem["detail"]).toMatch(/before.*body parser/)
    await expectProblem(await upload(form("mine")), 500, "body_already_read")
    expect(await server.parley.documents.list(ANN)).toEqual([])
    expect(server.log.join("\n")).toContain("body_already_read")
  })

  test("because it was a form for another parser is refused at once", async () => {
    await startBehind(readAway, (request, _response, next) => {
      request.body = { some: "field" }
      next()
    })
    await expectProblem(await upload(form("mine")), 500, "body_already_read")
  })

  test("is of no account to a request that has none", async () => {
    await startBehind(readAway, express.json())
    expect((await server.fetch("/api/chat", { user: ANN })).status).toBe(200)
    await expectProblem(await server.post("/api/chat", "", ANN), 422, "invalid_chat_request")
  })
})

describe("a form whose bytes are left", () => {
  test("is read from there", async () => {
    await startBehind(express.raw({ type: "multipart/form-data" }))
    const response = await upload(form("mine"))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ filename: "a.txt", status: "processing" })
    await expectProblem(await upload(form("one", "two")), 400, "invalid_upload")
  })
})

describe("what another body parser refuses itself", () => {
  test("is answered with problem details", async () => {
    await startBehind(express.json({ limit: 100 }))
    const broken = await expectProblem(await server.post("/api/rag", "{", ANN), 400, "invalid_request")
    expect(broken).toMatchObject({ issues: [{ path: "body" }] })
    const long = await expectProblem(
      await server.post("/api/rag", { documentId: "x".repeat(200) }, ANN),
      413,
      "payload_too_large"
    )
    expect(long).toMatchObject({ limit: 100 })
  })
})
