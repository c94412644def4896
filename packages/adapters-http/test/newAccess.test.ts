import { createHmac, timingSafeEqual } from "node:crypto"
import { InvalidSignature } from "@parley/core/adapter"
import { Context, Effect, Schema } from "effect"
import express from "express"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { defineAccess } from "../src/access/Access.ts"
import { publicAccess } from "../src/access/openAccess.ts"
import { signedWebhook } from "../src/access/signedWebhook.ts"
import { json } from "../src/exchange/Exchange.ts"
import { jsonBody } from "../src/body/jsonBody.ts"
import { rawBody } from "../src/body/rawBody.ts"
import { answerNotFound } from "../src/index.ts"
import { RouteNotFound, TooManyRequests } from "../src/problems/errors.ts"
import { textParameter } from "../src/routes/parameters.ts"
import { defineRoute } from "../src/routes/Route.ts"
import { openApiDocument } from "../src/core/openApiDocument.ts"
import { routerOf } from "../src/node/parleyRouter.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const signatureOf = (bytes: Uint8Array | string) => createHmac("sha256", "of the webhook").update(bytes).digest("hex")

/** Received events, in the order in which they were handled. */
const events: Array<unknown> = []

const webhook = defineRoute({
  method: "POST",
  path: "/hooks/payment",
  summary: "Takes an event",
  access: signedWebhook({
    name: "payment",
    description: "The caller is a payment provider.",
    header: "payment-signature",
    verify: (bytes, { headers }) => {
      const sent = Buffer.from(String(headers["payment-signature"] ?? ""))
      const expected = Buffer.from(signatureOf(bytes))
      const fits = sent.byteLength === expected.byteLength && timingSafeEqual(sent, expected)
      return fits ? Effect.void : Effect.fail(new InvalidSignature({ problem: "mismatch" }))
    }
  }),
  body: rawBody("The event."),
  responses: { 200: { description: "Taken." } },
  errors: [],
  handle: ({ body }) =>
    Effect.sync(() => {
      events.push(JSON.parse(Buffer.from(body).toString()))
      return json(200, { received: true })
    })
})

/** A caller that its request identifies: a visitor of the only bot. */
interface Visitor {
  readonly owner: string
  readonly visitorId: string
}
const WidgetBody = Schema.Struct({ publicKey: Schema.String, visitorId: Schema.String })
const visits = Context.Reference<Map<string, number>>("test/visits", { defaultValue: () => new Map() })

const widgetAccess = defineAccess<Visitor, typeof WidgetBody.Type, "not_found" | "too_many_requests">({
  name: "widget",
  description: "Callers are visitors whose key is in the body.",
  errors: () => ["not_found", "too_many_requests"],
  claimOf: ({ request: { peer } }) =>
    Effect.succeed({
      userId: undefined,
      admit: Effect.gen(function* () {
        const counts = yield* visits
        const count = (counts.get(peer) ?? 0) + 1
        counts.set(peer, count)
        if (count > 4) return yield* new TooManyRequests({ limit: 4 })
      }),
      callerOf: ({ body }) =>
        body.publicKey === "pk_one"
          ? Effect.succeed({ owner: "ann", visitorId: body.visitorId })
          : Effect.fail(new RouteNotFound())
    })
})

const widget = defineRoute({
  method: "POST",
  path: "/widget/hello",
  summary: "Greets a visitor",
  access: widgetAccess,
  body: jsonBody(WidgetBody, "Who asks."),
  responses: { 200: { description: "The greeting." } },
  errors: [],
  handle: ({ caller }) => Effect.succeed(json(200, { ...caller }))
})

const plain = defineRoute({
  method: "GET",
  path: "/plain",
  summary: "Says what it was asked",
  access: publicAccess,
  queryParameters: { word: textParameter("A word.") },
  responses: { 200: { description: "The word." } },
  errors: [],
  handle: ({ query }) => Effect.succeed(json(200, query))
})

const table = [webhook, widget, plain]

let server: TestServer
beforeAll(async () => {
  server = await startServer({ listener: (options) => express().use(routerOf(table, options), answerNotFound) })
})
afterAll(() => server.close())

const hook = (body: string, headers: Readonly<Record<string, string>>) =>
  server.fetch("/hooks/payment", { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

describe("a way of access that is new needs no change of how requests are handled", () => {
  test("a signed webhook is decided on the bytes as they were sent, before anything parses them", async () => {
    const text = '{ "kind" :  "paid", "name": "\\u00e9" }'
    const taken = await hook(text, { "payment-signature": signatureOf(text) })
    expect({ status: taken.status, body: await taken.json() }).toEqual({ status: 200, body: { received: true } })
    expect(events).toEqual([{ kind: "paid", name: "é" }])

    const other = signatureOf(JSON.stringify(JSON.parse(text)))
    await expectProblem(await hook(text, { "payment-signature": other }), 400, "invalid_signature")
    await expectProblem(await hook(text, {}), 400, "invalid_signature")
    await expectProblem(await hook("not JSON", { "payment-signature": "x" }), 400, "invalid_signature")
    expect(events).toHaveLength(1)
  })

  test("a signed webhook refuses bytes beyond the limit as too large, with any signature", async () => {
    const text = "x".repeat(1024 * 1024 + 1)
    await expectProblem(await hook(text, { "payment-signature": signatureOf(text) }), 413, "payload_too_large")
  })

  test("a caller may be known by the body alone, and refused by its address before the body is read", async () => {
    const visit = (publicKey: unknown) => server.post("/widget/hello", { publicKey, visitorId: "v" })
    expect(await (await visit("pk_one")).json()).toEqual({ owner: "ann", visitorId: "v" })
    await expectProblem(await visit("pk_two"), 404, "not_found")
    await expectProblem(await visit(7), 400, "invalid_request")
    expect((await visit("pk_one")).status).toBe(200)
    await expectProblem(await visit(7), 429, "too_many_requests")
  })

  test("the documentation says how callers prove themselves and what they may be answered", () => {
    const document = openApiDocument({ routes: table, version: "1", cookieName: "c" }) as {
      readonly paths: Record<string, Record<string, { security?: unknown; responses: Record<string, unknown> }>>
      readonly components: { readonly securitySchemes: Record<string, unknown> }
    }
    expect(document.components.securitySchemes).toEqual({
      payment: {
        type: "apiKey",
        in: "header",
        name: "payment-signature",
        description: "The signature of the raw body by its sender."
      }
    })
    expect(document.paths["/hooks/payment"]?.["post"]?.security).toEqual([{ payment: [] }])
    expect(Object.keys(document.paths["/hooks/payment"]?.["post"]?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "400", "413", "503"])
    )
    expect(Object.keys(document.paths["/widget/hello"]?.["post"]?.responses ?? {})).toContain("429")
    expect(document.paths["/plain"]?.["get"]?.security).toEqual([])
  })
})
