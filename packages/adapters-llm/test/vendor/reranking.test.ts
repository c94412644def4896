import { rerankerContract } from "@parley/core/testing"
import { Effect, Exit, Fiber, Layer, Logger, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type CohereRerankerOptions, makeCohereReranker } from "../../src/index.ts"
import { FakeVendor, type Play, type VendorRequest } from "./FakeVendor.ts"
import { withVendor } from "./listen.ts"
import { head } from "./wires.ts"

const SECRET = "co-test-secret"
const apiKey = Redacted.make(SECRET)
const json = { "content-type": "application/json" }

const answers =
  (status: string, body: string): Play =>
  async (connection) => {
    await connection.write(head(status, { ...json, "content-length": String(Buffer.byteLength(body)) }) + body)
    connection.end()
  }

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/\p{L}{4,}/gu))

/** The share of the query's words in a document, best first, as the protocol's servers answer. */
const judgedBy =
  (member: string): Play =>
  (connection, { body }: VendorRequest) => {
    const asked = wordsOf(body["query"] as string)
    const scored = (body["documents"] as ReadonlyArray<string>)
      .map((text, index) => ({ index, relevance_score: asked.intersection(wordsOf(text)).size / (1 + asked.size) }))
      .toSorted((one, other) => other.relevance_score - one.relevance_score)
    return answers("200 OK", JSON.stringify({ id: "1", [member]: scored, meta: {} }))(connection, {
      body
    } as VendorRequest)
  }

for (const member of ["results", "data"]) {
  const vendor = new FakeVendor(judgedBy(member))
  let url = ""
  beforeAll(async () => {
    url = await vendor.listen()
  })
  afterAll(() => vendor[Symbol.asyncDispose]())
  rerankerContract(`a server that answers in ${member}`, () => makeCohereReranker({ apiKey, baseUrl: `${url}/v2` }))
}

const PASSAGES = ["The heating is checked.", "Bicycles are kept in the yard."]

const rerank = (play: Play, more: Partial<CohereRerankerOptions> = {}) =>
  withVendor(play, async (url, vendor) => {
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => logged.push(JSON.stringify(message)))])
    const { rerank: judge } = makeCohereReranker({ apiKey, baseUrl: `${url}/v2/`, ...more })
    const judging = judge({ query: "When is the heating checked?", passages: PASSAGES }).pipe(Effect.provide(logger))
    return { exit: await Effect.runPromiseExit(judging), requests: vendor.requests, logged: logged.join("\n") }
  })

describe("a request to a reranker", () => {
  it("has the model, the query, the passages and the key", async () => {
    const { requests } = await rerank(judgedBy("results"), { model: "rerank-2.5" })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: "POST", path: "/v2/rerank" })
    expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${SECRET}`)
    expect(requests[0]?.body).toEqual({
      model: "rerank-2.5",
      query: "When is the heating checked?",
      documents: PASSAGES
    })
  })

  it("is not sent for no passages", async () => {
    const { rerank: judge } = makeCohereReranker({ apiKey, baseUrl: "http://127.0.0.1:1" })
    expect(await Effect.runPromise(judge({ query: "heating", passages: [] }))).toEqual([])
  })

  const score = (index: unknown, relevance_score: unknown) => ({ index, relevance_score })
  it.each<readonly [string, Play]>([
    ["no JSON", answers("200 OK", "<html>")],
    ["no list", answers("200 OK", "{}")],
    ["too few scores", answers("200 OK", JSON.stringify({ results: [score(0, 1)] }))],
    ["a score twice", answers("200 OK", JSON.stringify({ results: [score(0, 1), score(0, 1)] }))],
    ["a score too many", answers("200 OK", JSON.stringify({ results: [0, 1, 2].map((index) => score(index, 1)) }))],
    ["a passage that was not sent", answers("200 OK", JSON.stringify({ results: [score(0, 1), score(2, 1)] }))],
    ["a score that is no number", answers("200 OK", JSON.stringify({ results: [score(0, 1), score(1, "1")] }))],
    ["a refusal", answers("401 Unauthorized", JSON.stringify({ message: "vendor text: invalid co-test-secret" }))],
    ["an overload", answers("503 x", "vendor text")],
    ["far too much", answers("200 OK", " ".repeat(3 * 1024 * 1024))],
    ["a redirect", answers("302 Found\r\nlocation: http://127.0.0.1:1/", "vendor text")]
  ])("fails if the server answers with %s, and neither its text nor the key is logged", async (_what, play) => {
    const { exit, logged, requests } = await rerank(play)
    expect(Exit.isFailure(exit) && JSON.stringify(exit)).toContain("RerankFailed")
    expect(logged).toContain("did not judge")
    expect(logged).not.toMatch(/vendor text|co-test-secret|heating/)
    expect(requests).toHaveLength(1)
  })

  it("is refused at once after 20 seconds of silence, until one is answered", async () => {
    let speaks = false
    const play: Play = (connection, asked) => (speaks ? judgedBy("results")(connection, asked) : connection.gone)
    await withVendor(play, async (url, vendor) => {
      const { rerank: judge } = makeCohereReranker({ apiKey, baseUrl: url })
      const query = "When is the heating checked?"
      /** Asks, waits as long as a reply does, and returns the outcome, if any. */
      const asked = Effect.fnUntraced(function* (count: number, seconds: number) {
        const patient = Effect.timeoutOption(Effect.exit(judge({ query, passages: PASSAGES })), "5 seconds")
        const fiber = yield* Effect.forkChild(patient, { startImmediately: true })
        yield* Effect.promise(() =>
          vi.waitUntil(() => vendor.requests.length === count, { timeout: 60_000, interval: 5 })
        )
        yield* TestClock.adjust(`${seconds} seconds`)
        return Option.getOrUndefined(yield* Fiber.join(fiber))
      })
      const asking = Effect.gen(function* () {
        for (const count of [1, 2, 3, 4]) expect(yield* asked(count, 5)).toBeUndefined()
        for (const _again of [1, 2]) expect(yield* asked(5, 0.5)).toMatchObject({ _tag: "Failure" })
        expect(vendor.requests[4]?.body["query"]).not.toBe(query)
        speaks = true
        yield* TestClock.adjust("5 seconds")
        expect(yield* asked(7, 0)).toMatchObject({ _tag: "Success" })
      })
      await Effect.runPromise(Effect.provide(asking, Layer.mergeAll(TestClock.layer(), Logger.layer([]))))
    })
  })
})
