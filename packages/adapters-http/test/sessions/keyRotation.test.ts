import { generateKeyPairSync } from "node:crypto"
import type { Session, SessionInvalid, SessionVerifier, SessionVerifierUnavailable } from "@parley/core/adapter"
import { Clock, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { JwksSessionVerifier } from "../../src/index.ts"
import { atRest } from "../support/atRest.ts"
import { KeyServer, makeKey, type SigningKey } from "../support/KeyServer.ts"

type Verified = Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable>

/** Moves the clock until all have ended; returns the time that passed, in milliseconds. */
const untilEnded = Effect.fnUntraced(function* (verifications: ReadonlyArray<Verified>) {
  const began = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(Effect.all(verifications.map(Effect.exit), { concurrency: "unbounded" }))
  while (fiber.pollUnsafe() === undefined) {
    // Slow compared with the traffic between this test and its server, whose time limit uses the same clock.
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
    if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
  }
  return { exits: yield* Fiber.join(fiber), tookMs: (yield* Clock.currentTimeMillis) - began }
})

const refusalsOf = (exits: ReadonlyArray<Exit.Exit<Session, unknown>>) => exits.filter(Exit.isFailure).map(String)
const publish = (server: KeyServer, ...keys: ReadonlyArray<SigningKey>) => {
  server.keys = keys.map(({ publicKey }) => publicKey)
}
const tokensOf = (key: SigningKey, count: number, claims: Readonly<Record<string, unknown>> = {}) =>
  Promise.all(Array.from({ length: count }, (_, index) => key.sign({ sub: `user-${index}`, ...claims })))
const verifyAll = ({ verify }: SessionVerifier["Service"], tokens: ReadonlyArray<string>) => tokens.map(verify)

describe("a provider that changes its keys", () => {
  test("has no token refused, of the old key or the new one, however many are judged at once", async () => {
    const [old, next] = await Promise.all([makeKey("RS256"), makeKey("EdDSA")])
    await using server = await KeyServer.start(old)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        const before = yield* untilEnded(verifyAll(verifier, yield* Effect.promise(() => tokensOf(old, 100))))
        publish(server, next, old)
        yield* TestClock.adjust("10 millis")
        const both = yield* Effect.promise(() => Promise.all([tokensOf(old, 200), tokensOf(next, 200)]))
        const during = yield* untilEnded(verifyAll(verifier, both.flat()))
        expect(refusalsOf([...before.exits, ...during.exits])).toEqual([])
        expect(during.tookMs).toBeLessThan(5_000)
      })
    )
    expect(server.fetches).toBe(2)
  })

  test("twice within seconds has the tokens of its newest key wait for the next fetch, and refuses none", async () => {
    const [first, second, third] = await Promise.all([makeKey(), makeKey(), makeKey()])
    await using server = await KeyServer.start(first)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        yield* verifier.verify(yield* Effect.promise(() => first.sign({ sub: "ann" })))
        publish(server, second, first)
        yield* TestClock.adjust("10 millis")
        yield* verifier.verify(yield* Effect.promise(() => second.sign({ sub: "ann" })))
        publish(server, third, second)
        yield* TestClock.adjust("2 seconds")
        const iat = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
        const { exits, tookMs } = yield* untilEnded(
          verifyAll(verifier, yield* Effect.promise(() => tokensOf(third, 100, { iat })))
        )
        expect(refusalsOf(exits)).toEqual([])
        expect(tookMs).toBeGreaterThanOrEqual(3_000)
        expect(tookMs).toBeLessThan(5_000)
      })
    )
    expect(server.fetches).toBe(3)
  })

  test("within a second of a fetch has the tokens of that second wait: they are issued to the second", async () => {
    const [old, next, stranger] = await Promise.all([makeKey(), makeKey(), makeKey()])
    await using server = await KeyServer.start(old)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        yield* verifier.verify(yield* Effect.promise(() => old.sign({ sub: "ann" })))
        yield* TestClock.adjust("10 millis")
        yield* Effect.flip(verifier.verify(yield* Effect.promise(() => stranger.sign({ sub: "eve" }))))
        publish(server, next)
        yield* TestClock.adjust("10 millis")
        const iat = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
        const { exits } = yield* untilEnded(
          verifyAll(verifier, yield* Effect.promise(() => tokensOf(next, 10, { iat })))
        )
        expect(refusalsOf(exits)).toEqual([])
      })
    )
    expect(server.fetches).toBe(3)
  })

  test("while its answer is on the way has the new key fetched after it", async () => {
    const [old, next] = await Promise.all([makeKey(), makeKey()])
    await using server = await KeyServer.start(old)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    const asked = Promise.withResolvers<void>()
    const rotated = Promise.withResolvers<void>()
    await atRest(
      Effect.gen(function* () {
        const [known, unknown] = yield* Effect.promise(() =>
          Promise.all([old.sign({ sub: "ann" }), makeKey().then((key) => key.sign({ sub: "eve" }))])
        )
        yield* verifier.verify(known)
        yield* TestClock.adjust("10 millis")
        const stale = JSON.stringify({ keys: server.keys })
        server.instead = (_, response) => {
          asked.resolve()
          void rotated.promise.then(() => response.end(stale))
        }
        const stranger = yield* Effect.forkChild(Effect.exit(verifier.verify(unknown)))
        yield* Effect.promise(() => asked.promise)
        publish(server, next, old)
        server.instead = undefined
        yield* TestClock.adjust("1 second")
        const iat = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
        const fresh = yield* Effect.promise(() => next.sign({ sub: "ann", iat }))
        const waiting = yield* Effect.forkChild(untilEnded([verifier.verify(fresh)]))
        rotated.resolve()
        const { exits } = yield* Fiber.join(waiting)
        expect(refusalsOf(exits)).toEqual([])
        expect(Exit.isFailure(yield* Fiber.join(stranger))).toBe(true)
      })
    )
  })

  test("by a restart, which closes connections that were kept open, has no token refused", async () => {
    const [old, next] = await Promise.all([makeKey(), makeKey()])
    await using server = await KeyServer.start(old)
    const known = new WeakSet<object>()
    server.instead = ({ socket }, response) => {
      if (known.has(socket)) return void socket.destroy()
      known.add(socket)
      response.end(JSON.stringify({ keys: server.keys }))
    }
    const { verify } = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await Effect.runPromise(verify(await old.sign({ sub: "ann" })))
    publish(server, next)
    expect(await Effect.runPromise(verify(await next.sign({ sub: "ann" })))).toMatchObject({ userId: "ann" })
  })

  test("and whose keys have no names has its new key found, too", async () => {
    const [old, next] = await Promise.all([makeKey("RS256"), makeKey("RS256")])
    await using server = await KeyServer.start()
    const tooShort = [generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey.export({ format: "jwk" })]
    const nameless = ({ publicKey: { kty, n, e } }: SigningKey) => [{ kty, n, e }]
    server.keys = nameless(old)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        const sign = (key: SigningKey) => Effect.promise(() => key.sign({ sub: "ann" }, { kid: undefined }))
        yield* verifier.verify(yield* sign(old))
        server.keys = nameless(next)
        yield* TestClock.adjust("10 millis")
        yield* verifier.verify(yield* sign(next))
        server.keys = [...tooShort, ...nameless(old), ...nameless(next)]
        yield* TestClock.adjust("5 seconds")
        const stranger = yield* Effect.promise(() => makeKey("RS256"))
        yield* Effect.flip(verifier.verify(yield* sign(stranger)))
        for (const key of [old, next]) yield* verifier.verify(yield* sign(key))
        yield* Effect.flip(verifier.verify(yield* sign(stranger)))
      })
    )
  })

  test("by withdrawing one refuses its tokens: those known good after minutes, and after a rest at once", async () => {
    const [leaked, next] = await Promise.all([makeKey(), makeKey()])
    await using server = await KeyServer.start(leaked, next)
    const verifiers = [1, 2].map(() => JwksSessionVerifier.make({ jwksUrl: server.jwksUrl }))
    const [busy, idle] = verifiers as [SessionVerifier["Service"], SessionVerifier["Service"]]
    await atRest(
      Effect.gen(function* () {
        const [stolen, good] = yield* Effect.promise(() =>
          Promise.all([leaked.sign({ sub: "ann" }), next.sign({ sub: "ann" })])
        )
        for (const { verify } of verifiers) yield* Effect.all([verify(stolen), verify(good)])
        publish(server, next)
        yield* TestClock.adjust("6 minutes")
        // The renewal begins with a request that does not wait for it.
        yield* busy.verify(stolen)
        while (server.fetches < 3) yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        let seen = yield* Effect.exit(busy.verify(stolen))
        while (Exit.isSuccess(seen)) {
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
          seen = yield* Effect.exit(busy.verify(stolen))
        }
        expect(String(seen)).toContain("SessionInvalid")
        yield* busy.verify(good)
        yield* TestClock.adjust("5 minutes")
        expect(String(yield* Effect.exit(idle.verify(stolen)))).toContain("SessionInvalid")
        yield* idle.verify(good)
      })
    )
  })
})

describe("tokens that no key signed", () => {
  test("are refused, and cause one fetch in five seconds, however many come", async () => {
    const [key, stranger] = await Promise.all([makeKey(), makeKey()])
    await using server = await KeyServer.start(key)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        yield* verifier.verify(yield* Effect.promise(() => key.sign({ sub: "ann" })))
        yield* TestClock.adjust("10 millis")
        const made = (count: number) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const claims = { sub: "eve", iat: Math.floor(now / 1_000) - 60 }
            const kids = Array.from({ length: count }, (_, index) => `${index} of ${count}`)
            return Effect.promise(() => Promise.all(kids.map((kid) => stranger.sign(claims, { kid }))))
          })
        const flood = yield* untilEnded(verifyAll(verifier, yield* made(300)))
        expect(flood.exits.every(Exit.isFailure)).toBe(true)
        expect(refusalsOf(flood.exits).every((text) => text.includes("SessionInvalid"))).toBe(true)
        expect(server.fetches).toBe(2)
        // One after the other: they are older than the keys, and none of them waits.
        for (const token of yield* made(100)) yield* Effect.flip(verifier.verify(token))
        expect(server.fetches).toBe(2)
        yield* TestClock.adjust("5 seconds")
        for (const token of yield* made(100)) yield* Effect.flip(verifier.verify(token))
        expect(server.fetches).toBe(3)
      })
    )
  })

  test("that call themselves newer than the keys wait, at most a thousand of them, and then are refused", async () => {
    const [key, stranger] = await Promise.all([makeKey(), makeKey()])
    await using server = await KeyServer.start(key)
    const verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl })
    await atRest(
      Effect.gen(function* () {
        yield* verifier.verify(yield* Effect.promise(() => key.sign({ sub: "ann" })))
        yield* TestClock.adjust("10 millis")
        const token = yield* Effect.promise(() => stranger.sign({ sub: "eve", iat: 4_000_000_000, exp: 4_000_000_060 }))
        yield* Effect.flip(verifier.verify(token))
        yield* TestClock.adjust("10 millis")
        const { exits, tookMs } = yield* untilEnded(Array.from({ length: 1_100 }, () => verifier.verify(token)))
        const texts = refusalsOf(exits)
        expect(texts.filter((text) => text.includes("SessionInvalid"))).toHaveLength(1_000)
        expect(texts.filter((text) => text.includes("SessionVerifierUnavailable"))).toHaveLength(100)
        expect(tookMs).toBeLessThanOrEqual(5_100)
        // All waiting requests have ended, so the next ones may wait.
        yield* TestClock.adjust("10 millis")
        const again = yield* untilEnded([verifier.verify(token)])
        expect(refusalsOf(again.exits)[0]).toContain("SessionInvalid")
      })
    )
  })

  test("are refused without a fetch where they have expired or are of another issuer", async () => {
    const [key, stranger] = await Promise.all([makeKey(), makeKey()])
    await using server = await KeyServer.start(key)
    const { issuer, jwksUrl } = server
    const verifier = JwksSessionVerifier.make({ jwksUrl, issuer })
    await atRest(
      Effect.gen(function* () {
        yield* verifier.verify(yield* Effect.promise(() => key.sign({ sub: "ann", iss: issuer })))
        yield* TestClock.adjust("10 millis")
        const tokens = yield* Effect.promise(() =>
          Promise.all([
            stranger.sign({ sub: "ann", iss: issuer, exp: 1_000_000 }),
            stranger.sign({ sub: "ann", iss: "https://other.example" })
          ])
        )
        for (const token of tokens) yield* Effect.flip(verifier.verify(token))
      })
    )
    expect(server.fetches).toBe(1)
  })
})
