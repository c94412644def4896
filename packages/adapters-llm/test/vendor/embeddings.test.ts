import { LLMock } from "@copilotkit/aimock"
import { type EmbeddingResult, makeInMemoryEmbedder } from "@parley/core/adapter"
import { embedderContract } from "@parley/core/testing"
import { Effect, Fiber, Layer, Logger, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { makeOpenAiEmbedder, type OpenAiEmbedderOptions } from "../../src/index.ts"
import { FakeVendor, type Play, type VendorRequest } from "./FakeVendor.ts"
import { untilRead, withVendor } from "./listen.ts"
import { head } from "./wires.ts"

const apiKey = Redacted.make("sk-test-secret")
/** A busy machine may be late. */
const PATIENCE = { timeout: 60_000, interval: 5 }
const fast = { retries: 2, baseDelayMs: 1, maxDelayMs: 300 }
const json = { "content-type": "application/json" }

const connect = (url: string, more: Partial<OpenAiEmbedderOptions> = {}) =>
  makeOpenAiEmbedder({ apiKey, baseUrl: `${url}/v1`, model: "hashed", modelDimensions: 64, retry: fast, ...more })

const inputOf = ({ body }: VendorRequest): ReadonlyArray<string> => body["input"] as ReadonlyArray<string>

/** Vectors that depend on the texts alone, as the embedder in memory makes them. */
const vectorsFor = async (texts: ReadonlyArray<string>, dimensions = 64) => {
  const results = await Effect.runPromise(makeInMemoryEmbedder({ dimensions }).embed(texts))
  return results.map(Result.getOrThrow)
}

const answerOf = (vectors: ReadonlyArray<unknown>): string =>
  JSON.stringify({
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 1, total_tokens: 1 }
  })

const embeds: Play = async (connection, request) => {
  const answer = answerOf(await vectorsFor(inputOf(request)))
  await connection.write(head("200 OK", { ...json, "content-length": String(Buffer.byteLength(answer)) }) + answer)
  connection.end()
}

const refusesWith =
  (status: string, kind: string, headers: Readonly<Record<string, string>> = {}): Play =>
  async (connection) => {
    const error = JSON.stringify({ error: { message: "vendor text", type: "error", code: kind } })
    await connection.write(head(status, { ...json, ...headers }) + error)
    connection.end()
  }

const sends =
  (bytes: string): Play =>
  async (connection) => {
    await connection.write(bytes)
    connection.end()
  }

/** The first play for the first request, and so on; the last one for all further ones. */
const inTurn = (...plays: ReadonlyArray<Play>): Play => {
  let request = 0
  return (connection, asked) => (plays[Math.min(request++, plays.length - 1)] as Play)(connection, asked)
}

const open: Array<FakeVendor> = []
afterAll(() => Promise.all(open.map((vendor) => vendor[Symbol.asyncDispose]())))

embedderContract("OpenAI's", {
  stage: async (limits) => {
    let now = 0
    let most = 0
    const playing: Play = async (connection, request) => {
      const all = inputOf(request).join(" ")
      if (all.includes("silence")) return connection.gone
      while (all.includes("together") && most < limits.concurrency) await new Promise(setImmediate)
      if (all.includes("unwanted")) return refusesWith("400 Bad Request", "invalid_request_error")(connection, request)
      if (all.includes("unlucky")) return refusesWith("503 x", "server_error")(connection, request)
      return embeds(connection, request)
    }
    const vendor = new FakeVendor(async (connection, request) => {
      now += 1
      most = Math.max(most, now)
      // Counted as answered before the client can have the answer.
      const answered = { ...connection, write: (bytes: string | Uint8Array) => ((now -= 1), connection.write(bytes)) }
      await playing(answered, request)
      if (inputOf(request).includes("silence")) now -= 1
    })
    open.push(vendor)
    const embedder = connect(await vendor.listen(), { limits, retry: { retries: 0 } })
    return {
      embedder,
      requests: () => vendor.requests.map(inputOf),
      underWay: () => ({ now, most })
    }
  }
})

const embed = (play: Play, texts: ReadonlyArray<string>, more: Partial<OpenAiEmbedderOptions> = {}) =>
  withVendor(play, async (url, vendor) => {
    const embedding = connect(url, more)
      .embed(texts)
      .pipe(Effect.provide(Logger.layer([])))
    const results = await Effect.runPromise(embedding)
    return { results, requests: vendor.requests }
  })

it("the concurrent requests of all callers stay within the limit; a question bypasses it", async () => {
  const limits = { textsPerRequest: 2, concurrency: 2 }
  const waiting: Array<() => void> = []
  const held = (connection: Parameters<Play>[0], request: VendorRequest) =>
    new Promise<void>((resolve) => waiting.push(resolve)).then(() => embeds(connection, request))
  const play: Play = (connection, request) =>
    inputOf(request).length === 1 ? embeds(connection, request) : held(connection, request)
  await withVendor(play, async (url, vendor) => {
    const embedder = connect(url, { limits })
    const three = [1, 2, 3].map((caller) => Effect.runPromise(embedder.embed([`${caller} one`, `${caller} two`])))
    await vi.waitFor(() => expect(waiting).toHaveLength(2), PATIENCE)
    expect((await Effect.runPromise(embedder.embed(["a question"]))).every(Result.isSuccess)).toBe(true)
    expect(vendor.requests.filter((request) => inputOf(request).length > 1)).toHaveLength(2)
    for (const answer of waiting.splice(0)) answer()
    await vi.waitFor(() => expect(waiting).toHaveLength(1), PATIENCE)
    for (const answer of waiting) answer()
    expect((await Promise.all(three)).flat().every(Result.isSuccess)).toBe(true)
  })
})

const reasonOf = (result: EmbeddingResult | undefined) =>
  result !== undefined && Result.isFailure(result) ? result.failure.reason : undefined

describe("a request for embeddings", () => {
  it("has the model, the texts and the key, and asks for numbers; for dimensions only where they are asked for", async () => {
    const { requests } = await embed(embeds, ["one", "two"])
    expect(requests[0]).toMatchObject({ method: "POST", path: "/v1/embeddings" })
    expect(requests[0]?.headers["authorization"]).toBe("Bearer sk-test-secret")
    expect(requests[0]?.body).toEqual({ model: "hashed", input: ["one", "two"], encoding_format: "float" })
    const fewer = await embed(embeds, ["one"], { dimensions: 64 })
    expect(fewer.requests[0]?.body).toMatchObject({ dimensions: 64 })
  })

  it("weighs models that published tables show to be better than words, and others as given", () => {
    const weightOf = (more: Partial<OpenAiEmbedderOptions>) =>
      makeOpenAiEmbedder({ apiKey, modelDimensions: 64, ...more }).weight
    expect(weightOf({})).toBe(0.2)
    expect(weightOf({ model: "BAAI/bge-base-en-v1.5" })).toBe(0.2)
    expect(weightOf({ model: "our-own" })).toBeUndefined()
    expect(weightOf({ weight: 0 })).toBe(0)
  })

  it("knows the dimensions of OpenAI's models, and requires those of others", () => {
    expect(makeOpenAiEmbedder({ apiKey })).toMatchObject({ name: "openai/text-embedding-3-small", dimensions: 1536 })
    expect(makeOpenAiEmbedder({ apiKey, model: "text-embedding-3-large", dimensions: 256 }).dimensions).toBe(256)
    expect(() => makeOpenAiEmbedder({ apiKey, model: "other" })).toThrow("modelDimensions")
  })

  it("orders the entries by their index", async () => {
    const turned: Play = async (connection, request) => {
      const vectors = await vectorsFor(inputOf(request))
      const { data } = JSON.parse(answerOf(vectors)) as { data: ReadonlyArray<unknown> }
      await connection.write(head("200 OK", json) + JSON.stringify({ data: data.toReversed() }))
      connection.end()
    }
    const { results } = await embed(turned, ["warranty", "delivery"])
    expect(results.map(Result.getOrThrow)).toEqual(await vectorsFor(["warranty", "delivery"]))
  })
})

describe("an embedding provider that fails", () => {
  it("is asked again where the failure may pass, as often as the policy says", async () => {
    const overloaded = refusesWith("503 x", "server_error")
    const again = await embed(inTurn(overloaded, overloaded, embeds), ["text"])
    expect([again.results.map(Result.isSuccess), again.requests.length]).toEqual([[true], 3])
    const never = await embed(overloaded, ["text"])
    expect([reasonOf(never.results[0]), never.requests.length]).toEqual(["unavailable", 3])
  })

  it("is given the time it asks for, by all requests alike", async () => {
    const limited = refusesWith("429 Too Many Requests", "rate_limit_error", { "retry-after": "60" })
    const texts = Array.from({ length: 9 }, (_, index) => `text ${index}`)
    const { promise: limit, resolve: refused } = Promise.withResolvers<void>()
    let asked = 0
    const play: Play = async (connection, request) => {
      asked += 1
      if (asked === 1) {
        await limited(connection, request)
        await connection.gone
        await untilRead()
        return refused()
      }
      // Those that were under way already are answered once the limit is known.
      await limit
      return embeds(connection, request)
    }
    const results = await withVendor(play, (url, vendor) => {
      const patient = { retry: { ...fast, maxDelayMs: 120_000 }, limits: { textsPerRequest: 1, concurrency: 3 } }
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(connect(url, patient).embed(texts), { startImmediately: true })
        yield* Effect.promise(async () => {
          await limit
          await vi.waitUntil(() => vendor.working === 0, PATIENCE)
          await untilRead()
        })
        expect(asked).toBe(3)
        yield* TestClock.adjust("61 seconds")
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provide(Layer.mergeAll(TestClock.layer(), Logger.layer([]))), Effect.runPromise)
    })
    expect(results.every(Result.isSuccess)).toBe(true)
    expect(asked).toBe(10)
  })

  it("is not awaited longer than the policy allows; the failure names its wait", async () => {
    const limited = refusesWith("429 Too Many Requests", "rate_limit_error", { "retry-after": "60" })
    const { requests, results } = await embed(limited, ["text"])
    const [result] = results
    expect(result && Result.isFailure(result) ? result.failure : undefined).toMatchObject({
      reason: "rate-limited",
      retryAfterMs: 60_000
    })
    expect(requests).toHaveLength(1)
  })

  it("is left when it does not answer in time", async () => {
    const play: Play = (connection) => connection.gone
    await withVendor(play, async (url, vendor) => {
      const embedding = connect(url, { timeoutMs: 60_000, retry: { retries: 0 } }).embed(["text"])
      const stalled = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(embedding, { startImmediately: true })
        yield* Effect.promise(() => vi.waitUntil(() => vendor.working === 1, PATIENCE))
        yield* TestClock.adjust("61 seconds")
        return yield* Fiber.join(fiber)
      })
      const [result] = await Effect.runPromise(Effect.provide(stalled, TestClock.layer()))
      expect(reasonOf(result)).toBe("stalled")
      await vi.waitUntil(() => vendor.working === 0, PATIENCE)
    })
  })

  it("for a question is refused at once after 20 seconds of silence, until one is answered", async () => {
    let speaks = false
    const play: Play = (connection, asked) => (speaks ? embeds(connection, asked) : connection.gone)
    await withVendor(play, async (url, vendor) => {
      const embedder = connect(url)
      const requests = (count: number) =>
        Effect.promise(() => vi.waitUntil(() => vendor.requests.length === count, PATIENCE))
      /** Asks, waits as long as a search does, and returns the outcome, if any. */
      const question = Effect.fnUntraced(function* (count: number, seconds: number) {
        const patient = Effect.timeoutOption(embedder.embed(["text"]), "5 seconds")
        const fiber = yield* Effect.forkChild(patient, { startImmediately: true })
        yield* requests(count)
        yield* TestClock.adjust(`${seconds} seconds`)
        return Option.getOrUndefined(yield* Fiber.join(fiber))?.[0]
      })
      const asking = Effect.gen(function* () {
        for (const count of [1, 2, 3, 4]) expect(yield* question(count, 5)).toBeUndefined()
        expect(reasonOf(yield* question(5, 0.5))).toBe("stalled")
        expect(reasonOf(yield* question(5, 0.5))).toBe("stalled")
        expect(vendor.requests.map(inputOf)[4]).not.toEqual(["text"])
        speaks = true
        yield* TestClock.adjust("5 seconds")
        const answered = yield* question(7, 0)
        expect(answered !== undefined && Result.isSuccess(answered)).toBe(true)
      })
      await Effect.runPromise(Effect.provide(asking, Layer.mergeAll(TestClock.layer(), Logger.layer([]))))
    })
  })

  it("shows nothing of the vendor's words, and nothing of the key", async () => {
    const { results } = await embed(refusesWith("401 Unauthorized", "invalid_api_key"), ["text"])
    const [result] = results
    expect(reasonOf(result)).toBe("unavailable")
    const message = result && Result.isFailure(result) ? result.failure.message : ""
    expect(message).not.toMatch(/vendor text|sk-test/)
  })

  const whole = answerOf([Array.from({ length: 64 }, () => 1)])
  const entry = { index: 0, embedding: Array.from({ length: 64 }, () => 1) }
  const twice = JSON.stringify({ data: [entry, entry] })
  const framed = head("200 OK", { ...json, "content-length": String(whole.length) }) + whole

  it.each<readonly [string, string, string]>([
    ["a page of HTML", `${head("200 OK", { "content-type": "text/html" })}<html>`, "bad-answer"],
    ["an empty body", head("200 OK", json), "bad-answer"],
    ["JSON that is no answer", `${head("200 OK", json)}[]`, "bad-answer"],
    ["an answer without entries", `${head("200 OK", json)}{"data":[]}`, "bad-answer"],
    ["an entry twice", head("200 OK", json) + twice, "bad-answer"],
    ["a vector of another length", head("200 OK", json) + answerOf([[1, 2, 3]]), "bad-answer"],
    ["a vector that is no list of numbers", head("200 OK", json) + answerOf([Array(64).fill(null)]), "bad-answer"],
    // A whole answer behind more than any answer takes: it is not read so far.
    ["an answer without bound", head("200 OK", json) + " ".repeat(2_000_000) + whole, "bad-answer"],
    ["a redirect", head("307 Temporary Redirect", { location: "http://127.0.0.1:9/" }), "unavailable"],
    ["no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n", "unavailable"]
  ])("has a name for %s", async (_, bytes, reason) => {
    const { results } = await embed(sends(bytes), ["text"], { retry: { retries: 0 } })
    expect(results.map(reasonOf)).toEqual([reason])
  })

  it("is never accepted if its response is cut, at any byte", async () => {
    let next = 0
    const check = async () => {
      while (next < framed.length) {
        const at = next++
        const { results } = await embed(sends(framed.slice(0, at)), ["text"], { retry: { retries: 0 } })
        expect(["unavailable", "bad-answer"]).toContain(reasonOf(results[0]))
      }
    }
    await Promise.all(Array.from({ length: 8 }, check))
    const complete = await embed(sends(framed), ["text"])
    expect(complete.results.map(Result.isSuccess)).toEqual([true])
  })
})

describe("embeddings, as a stand-in from elsewhere plays them", () => {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", latency: 0 })
  beforeAll(async () => {
    mock.onEmbedding(/.*/, { embedding: Array.from({ length: 384 }, (_, index) => Math.sin(index + 1)) })
    await mock.start()
  })
  afterAll(() => mock.stop())

  it("are understood", async () => {
    const embedder = makeOpenAiEmbedder({ apiKey, baseUrl: `${mock.url}/v1`, dimensions: 384 })
    const results = await Effect.runPromise(embedder.embed(["warranty", "delivery", "保証"]))
    expect(results.map((result) => Result.getOrThrow(result).length)).toEqual([384, 384, 384])
  })
})
