import type { RequestListener } from "node:http"
import type { SessionVerifierUnavailable } from "@parley/core/adapter"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { JwksSessionVerifier } from "../../src/index.ts"
import { atRest } from "../support/atRest.ts"
import { expectProblem } from "../support/expectProblem.ts"
import { KeyServer, makeKey, type SigningKey } from "../support/KeyServer.ts"
import { startServer } from "../support/startServer.ts"

/** A text of the provider's that must get nowhere. */
const PROVIDER_TEXT = "PROVIDER TEXT"

const soon = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
const publish = (server: KeyServer, ...keys: ReadonlyArray<SigningKey>) => {
  server.keys = keys.map(({ publicKey }) => publicKey)
}

/** The reason why the provider counts as down. */
const problemOf = (error: unknown) => (error as SessionVerifierUnavailable).cause

/** Answers that are no key set. `served` ones are complete. */
const faults: ReadonlyArray<readonly [string, RequestListener, string]> = [
  ["an error", (_, response) => response.writeHead(500).end(PROVIDER_TEXT), "status"],
  ["that nothing is there", (_, response) => response.writeHead(404).end(PROVIDER_TEXT), "status"],
  ["a page", (_, response) => response.end(`<h1>${PROVIDER_TEXT}</h1>`), "not-json"],
  ["half of its keys", (_, response) => response.end('{"keys": [{'), "not-json"],
  ["no keys", (_, response) => response.end('{"keys": []}'), "no-key"],
  ["null", (_, response) => response.end("null"), "no-key"],
  ["keys that are a text", (_, response) => response.end('{"keys": "mine"}'), "no-key"],
  ["keys that are none", (_, response) => response.end('{"keys": [null, 7, "x", [], {}, {"kty": 1}]}'), "no-key"],
  [
    "keys with their secret parts",
    (_, response) => response.end('{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "d": "AA"}]}'),
    "no-key"
  ],
  ["a broken connection", (request) => request.socket.destroy(), "unreachable"]
]

describe("a provider that answers with", () => {
  test.each(faults)(
    "%s counts as away: no token is judged, and what was known before is kept",
    async (_, fault, why) => {
      const [key, next] = await Promise.all([makeKey(), makeKey()])
      await using server = await KeyServer.start(key)
      const { instead, jwksUrl } = server
      await atRest(
        Effect.gen(function* () {
          const [token, newer] = yield* Effect.promise(() =>
            Promise.all([key.sign({ sub: "ann" }), next.sign({ sub: "ann" })])
          )
          server.instead = fault
          const cold = JwksSessionVerifier.make({ jwksUrl })
          const refusal = yield* Effect.flip(cold.verify(token))
          expect(refusal).toMatchObject({ _tag: "SessionVerifierUnavailable", retryAfterMs: 5_000 })
          expect(problemOf(refusal)).toMatchObject({ problem: why })
          server.instead = instead
          yield* TestClock.adjust("5 seconds")
          yield* cold.verify(token)
          server.instead = fault
          expect(yield* Effect.flip(cold.verify(newer))).toMatchObject({ _tag: "SessionVerifierUnavailable" })
          expect(yield* cold.verify(token)).toMatchObject({ userId: "ann" })
        })
      )
    }
  )

  test("a redirect is not followed, even to good keys", async () => {
    const key = await makeKey()
    await using elsewhere = await KeyServer.start(key)
    await using server = await KeyServer.start()
    server.instead = (_, response) => response.writeHead(302, { location: elsewhere.jwksUrl }).end()
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    const refusal = await Effect.runPromise(Effect.flip(verify(await key.sign({ sub: "ann" }))))
    expect(problemOf(refusal)).toMatchObject({ problem: "status", detail: "302" })
    expect(elsewhere.seen).toEqual([])
  })

  test.each(["one key of many megabytes", "keys without end"])("%s is not read to its end", async (kind) => {
    const key = await makeKey()
    await using server = await KeyServer.start(key)
    const megabyte = "x".repeat(1024 ** 2)
    let written = 0
    const closed = Promise.withResolvers<void>()
    server.instead = (_, response) => {
      response.on("close", closed.resolve)
      response.write(kind.startsWith("one") ? '{"keys": [{"kid": "' : '{"keys": [')
      const more = () => {
        if (response.destroyed || written > 200) return void response.end()
        written++
        response.write(megabyte, () => setImmediate(more))
      }
      more()
    }
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    const refusal = await Effect.runPromise(Effect.flip(verify(await key.sign({ sub: "ann" }))))
    expect(problemOf(refusal)).toMatchObject({ problem: "too-large" })
    await closed.promise
    expect(written).toBeLessThan(100)
  })

  test.each<readonly [string, RequestListener]>([
    ["nothing at all", () => undefined],
    [
      "a byte now and then",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 5)
        response.on("close", () => clearInterval(timer))
      }
    ]
  ])("%s holds a request up for five seconds at most, and then nobody for five", async (_, silence) => {
    const key = await makeKey()
    await using server = await KeyServer.start(key)
    server.instead = silence
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        const token = yield* Effect.promise(() => key.sign({ sub: "ann" }))
        const waiting = yield* Effect.forkChild(Effect.flip(verify(token)))
        while (server.fetches === 0) yield* soon
        yield* TestClock.adjust("4 seconds")
        expect(waiting.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 second")
        expect(problemOf(yield* Fiber.join(waiting))).toMatchObject({ problem: "slow" })
        yield* TestClock.adjust("1 second")
        expect(yield* Effect.flip(verify(token))).toMatchObject({ retryAfterMs: 4_000 })
        expect(server.fetches).toBe(1)
      })
    )
  })

  test("a late description and then nothing holds a request up for five seconds, too", async () => {
    await using server = await KeyServer.start()
    const described = Promise.withResolvers<void>()
    server.late = described.promise
    server.instead = () => undefined
    const { verify } = JwksSessionVerifier.make({ issuer: server.issuer })
    const token = await makeKey().then((key) => key.sign({ sub: "ann", iss: server.issuer }))
    await atRest(
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(Effect.flip(verify(token)))
        while (server.seen.length === 0) yield* soon
        yield* TestClock.adjust("4 seconds")
        described.resolve()
        while (server.fetches === 0) yield* soon
        yield* TestClock.adjust("1 second")
        for (let turn = 0; turn < 100 && waiting.pollUnsafe() === undefined; turn++) yield* soon
        expect(waiting.pollUnsafe()).toBeDefined()
        expect(problemOf(yield* Fiber.join(waiting))).toMatchObject({ problem: "slow" })
      })
    )
  })

  test("nothing at all, once more, holds a request up for less than a second, until the provider answers", async () => {
    const key = await makeKey()
    await using server = await KeyServer.start(key)
    const answer = Promise.withResolvers<void>()
    server.instead = (_, response) => {
      if (server.fetches > 1) void answer.promise.then(() => response.end(JSON.stringify({ keys: server.keys })))
    }
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        const token = yield* Effect.promise(() => key.sign({ sub: "ann" }))
        const first = yield* Effect.forkChild(Effect.flip(verify(token)))
        while (server.fetches === 0) yield* soon
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(first)
        yield* TestClock.adjust("5 seconds")
        const again = yield* Effect.forkChild(Effect.flip(verify(token)))
        while (server.fetches === 1) yield* soon
        yield* TestClock.adjust("900 millis")
        for (let turn = 0; turn < 100 && again.pollUnsafe() === undefined; turn++) yield* soon
        expect(again.pollUnsafe()).toBeDefined()
        expect(yield* Fiber.join(again)).toMatchObject({ _tag: "SessionVerifierUnavailable" })
        const last = yield* Effect.forkChild(verify(token))
        answer.resolve()
        expect(yield* Fiber.join(last)).toMatchObject({ userId: "ann" })
        expect(server.fetches).toBe(2)
      })
    )
  })
})

describe("a provider that cannot be reached", () => {
  test("for ten minutes ends no session, and a new key is found when it is back", async () => {
    const [key, next] = await Promise.all([makeKey("RS256"), makeKey("RS256")])
    await using server = await KeyServer.start(key)
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        const signed = (by: SigningKey, sub: string) => Effect.promise(() => by.sign({ sub }))
        yield* verify(yield* signed(key, "ann"))
        yield* Effect.promise(() => server.down())
        for (let second = 0; second < 660; second += 20) {
          yield* TestClock.adjust("20 seconds")
          expect(Exit.isSuccess(yield* Effect.exit(verify(yield* signed(key, `user-${second}`))))).toBe(true)
        }
        expect(yield* Effect.flip(verify(yield* signed(next, "ann")))).toMatchObject({
          _tag: "SessionVerifierUnavailable"
        })
        yield* Effect.promise(() => server.up())
        publish(server, next)
        yield* TestClock.adjust("5 seconds")
        expect(yield* verify(yield* signed(next, "ann"))).toMatchObject({ userId: "ann" })
      })
    )
  })

  test("and never could is asked once in five seconds; what no key makes good is refused all the same", async () => {
    const key = await makeKey()
    await using server = await KeyServer.start(key)
    server.instead = (_, response) => response.writeHead(503).end()
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        const token = yield* Effect.promise(() => key.sign({ sub: "ann" }))
        const many = Array.from({ length: 100 }, () => Effect.flip(verify(token)))
        for (let round = 0; round < 3; round++) {
          for (const refusal of yield* Effect.all(many, { concurrency: "unbounded" })) {
            expect(refusal._tag).toBe("SessionVerifierUnavailable")
          }
          expect(server.fetches).toBe(round + 1)
          yield* TestClock.adjust("5 seconds")
        }
        expect(yield* Effect.flip(verify("noise"))).toMatchObject({ _tag: "SessionInvalid" })
      })
    )
  })

  test("goes on being asked where the request that began it is left", async () => {
    const key = await makeKey()
    await using server = await KeyServer.start(key)
    const answer = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const keys = JSON.stringify({ keys: server.keys })
    server.instead = (_, response) => {
      asked.resolve()
      void answer.promise.then(() => response.end(keys))
    }
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    const token = await key.sign({ sub: "ann" })
    await Effect.runPromise(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(verify(token))
        yield* Effect.promise(() => asked.promise)
        const second = yield* Effect.forkChild(verify(token))
        yield* Fiber.interrupt(first)
        answer.resolve()
        expect(yield* Fiber.join(second)).toMatchObject({ userId: "ann" })
      })
    )
    expect(server.fetches).toBe(1)
  })

  test("is answered with 503 and Retry-After, never 401, and one line of the log without the provider's text", async () => {
    const key = await makeKey()
    await using keys = await KeyServer.start(key)
    keys.instead = (_, response) => response.writeHead(500, { server: PROVIDER_TEXT }).end(PROVIDER_TEXT)
    const sessions = JwksSessionVerifier.make({ jwksUrl: keys.jwksUrl })
    const server = await startServer({ app: { sessions } })
    const headers = { cookie: `parley_session=${await key.sign({ sub: "ann" })}` }
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.fetch("/api/me", { headers })))
    for (const answer of answers) {
      await expectProblem(answer, 503, "identity_unavailable")
      expect(answer.headers.get("retry-after")).toBe("5")
    }
    await expectProblem(await server.fetch("/api/me"), 401, "unauthorized")
    const told = server.log.filter((line) => line.includes("keys cannot be fetched"))
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('"problem":"status"')
    expect(server.log.join("\n")).not.toContain(PROVIDER_TEXT)
    await server.close()
  })
})
