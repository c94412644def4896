import { Effect, Exit } from "effect"
import { CompactEncrypt, CompactSign, importJWK, type JWTPayload, SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { HmacSessionVerifier, JwksSessionVerifier } from "../../src/index.ts"
import { KeyServer, makeKey, type SigningKey } from "../support/KeyServer.ts"
import { startServer } from "../support/startServer.ts"

/** The order of P-256: beside a signature (r, s) also (r, order - s) is valid. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const SECRETS = ["the older secret of the two, long enough", "the newer secret of the two, long enough"] as const

let server: KeyServer
let key: SigningKey
beforeAll(async () => {
  key = await makeKey("ES256")
  server = await KeyServer.start(key)
})
afterAll(() => server.down())

const now = Math.floor(Date.now() / 1_000)
const claims = (): JWTPayload => ({ sub: "ann", iss: server.issuer, aud: "parley", iat: now - 60, exp: now + 3_600 })
const verifierOf = (more: Partial<Parameters<typeof JwksSessionVerifier.make>[0]> = {}) =>
  JwksSessionVerifier.make({ jwksUrl: server.jwksUrl, issuer: server.issuer, audience: "parley", ...more })
const judged = (token: string, more: Parameters<typeof verifierOf>[0] = {}) =>
  Effect.runPromiseExit(verifierOf(more).verify(token))
const expectRefused = async (token: string, more: Parameters<typeof verifierOf>[0] = {}) =>
  expect(String(await judged(token, more))).toContain("SessionInvalid")
const sessionOf = async (more: object, options: Parameters<typeof verifierOf>[0] = {}) =>
  Effect.runPromise(verifierOf(options).verify(await key.sign({ ...claims(), ...more })))

describe("a token is refused that", () => {
  test("is larger than any provider's, before a key is fetched for it", async () => {
    await using own = await KeyServer.start(key)
    const token = await key.sign({ ...claims(), more: "x".repeat(16_384) })
    await expectRefused(token, { jwksUrl: own.jwksUrl })
    expect(own.fetches).toBe(0)
    expect(Exit.isSuccess(await judged(await key.sign({ ...claims(), more: "x".repeat(11_000) })))).toBe(true)
    const { verify } = HmacSessionVerifier.make({ secret: SECRETS[0] })
    expect(String(await Effect.runPromiseExit(verify(`${token}${"x".repeat(1_000_000)}`)))).toContain("SessionInvalid")
  })

  test("holds another token, is encrypted, or is signed without its encoding", async () => {
    const inner = await key.sign(claims())
    const bytes = (text: string) => new TextEncoder().encode(text)
    const head = { alg: "ES256", kid: key.kid }
    const { privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
    const nested = await new CompactSign(bytes(inner)).setProtectedHeader({ ...head, cty: "JWT" }).sign(privateKey)
    const publicKey = await importJWK(key.publicKey, "ECDH-ES")
    const sealed = await new CompactEncrypt(bytes(JSON.stringify(claims())))
      .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM", kid: key.kid })
      .encrypt(publicKey)
    const unencoded = `${Buffer.from(JSON.stringify({ ...head, b64: false, crit: ["b64"] })).toString("base64url")}.${inner.split(".").slice(1).join(".")}`
    for (const token of [nested, sealed, unencoded, `${inner}.${inner}`]) await expectRefused(token)
  })

  test("brings a certificate, or the address or print of one, for another key", async () => {
    const stranger = await makeKey("ES256")
    for (const header of [{ x5c: ["MIIB"] }, { x5t: "AAAA" }, { "x5t#S256": "AAAA" }, { x5u: server.jwksUrl }]) {
      await expectRefused(await stranger.sign(claims(), { ...header, kid: key.kid }))
    }
  })

  test.each<readonly [string, unknown]>([
    ["is nearly ours", "parley "],
    ["has other letters", "PARLEY"],
    ["looks like ours", "pаrley"],
    ["ends in NUL", "parley\0"],
    ["names several in one text", "other parley"],
    ["is an object", { parley: true }],
    ["is a list in a list", [["parley"]]],
    ["is a list of others", ["other", 7, null]],
    ["is an empty list", []],
    ["is null", null],
    ["is true", true]
  ])("is for an audience that %s", async (_, aud) => {
    await expectRefused(await key.sign({ ...claims(), aud } as never))
  })

  test.each(["", "\ud800", "a\0b", "x".repeat(256), { sub: "ann" }, ["ann"], true, 0])(
    "has a subject that is no id: %j",
    async (sub) => {
      await expectRefused(await key.sign({ ...claims(), sub } as never))
    }
  )

  test.each([
    "__proto__",
    "constructor",
    "toString",
    "constructor.name",
    "__proto__.sub",
    "sub.length",
    "",
    ".",
    "a..b"
  ])("has no claim of its own that is named %j", async (userClaim) => {
    await expectRefused(await key.sign(claims()), { userClaim })
  })
})

describe("the claims of the person", () => {
  test("are those that are configured, to the letter or in objects", async () => {
    const id = "https://example.com/user.id"
    expect(await sessionOf({ [id]: "eve", user: { id: "bob" } }, { userClaim: id })).toMatchObject({ userId: "eve" })
    expect(await sessionOf({ user: { id: "bob" } }, { userClaim: "user.id" })).toMatchObject({ userId: "bob" })
    await expectRefused(await key.sign({ ...claims(), user: { id: 7 } }), { userClaim: "user.id" })
    const named = await sessionOf(
      { mail: "a@b.c", nick: "A", email: "x@y.z" },
      { emailClaim: "mail", nameClaim: "nick" }
    )
    expect(named).toMatchObject({ userId: "ann", email: "a@b.c", name: "A" })
  })

  test("leave out addresses that are not verified, and texts that are none", async () => {
    const told = async (more: object) => {
      const { email, name } = await sessionOf(more)
      return [email, name]
    }
    expect(await told({ email: "a@b.c", email_verified: false, name: "Änn 👩‍👩‍👧" })).toEqual([undefined, "Änn 👩‍👩‍👧"])
    expect(await told({ email: "a@b.c", email_verified: true })).toEqual(["a@b.c", undefined])
    for (const odd of ["", "a\0b", "a\nb", "\ud83d", "x".repeat(321), 7, null, ["a"], { a: "b" }]) {
      expect(await told({ email: odd, name: odd })).toEqual([undefined, undefined])
    }
  })

  test("are kept as signed: two spellings of a letter are two people, and so are look-alikes", async () => {
    for (const sub of ["\u00e9", "e\u0301", "ann", "ａnn", "Ann"]) expect((await sessionOf({ sub })).userId).toBe(sub)
  })
})

test("a key for EdDSA verifies tokens under both names of the algorithm, and under no other", async () => {
  for (const published of ["EdDSA", "Ed25519", undefined]) {
    const { kid, publicKey, sign } = await makeKey("EdDSA")
    await using own = await KeyServer.start()
    const { alg: _alg, ...bare } = publicKey
    own.keys = [published === undefined ? bare : { ...bare, alg: published }]
    for (const alg of ["EdDSA", "Ed25519"]) {
      const token = await sign(claims(), { alg, kid })
      expect(Exit.isSuccess(await judged(token, { jwksUrl: own.jwksUrl }))).toBe(true)
    }
  }
})

test("either of two secrets verifies, a third one does not, and the claims are checked with both", async () => {
  const { verify } = HmacSessionVerifier.make({ secret: SECRETS })
  const signed = (secret: string, more: JWTPayload = {}) =>
    new SignJWT({ sub: "ann", exp: now + 3_600, ...more })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret))
  for (const secret of SECRETS) {
    expect(await Effect.runPromise(verify(await signed(secret)))).toMatchObject({ userId: "ann" })
    const refusal = await Effect.runPromise(Effect.flip(verify(await signed(secret, { exp: now - 90 }))))
    expect(refusal).toMatchObject({ problem: "expired", userId: "ann" })
  }
  for (const secret of ["the third secret of the two, long enough", SECRETS.join(","), SECRETS.join("")]) {
    expect(String(await Effect.runPromiseExit(verify(await signed(secret))))).toContain("SessionInvalid")
  }
  expect(() => HmacSessionVerifier.make({ secret: [] })).toThrow("empty")
  expect(() => HmacSessionVerifier.make({ secret: [SECRETS[0], ""] })).toThrow("empty")
})

describe("a signed-out token", () => {
  /** Other texts of the same token: the last letter holds bits that no byte uses, and (r, s) is as good as (r, -s). */
  const twinsOf = (token: string): ReadonlyArray<string> => {
    const [head, body, signature = ""] = token.split(".")
    const bytes = Buffer.from(signature, "base64url")
    const s = ORDER - BigInt(`0x${bytes.subarray(32).toString("hex")}`)
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")])
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const last = letters[letters.indexOf(signature.at(-1) ?? "") ^ 1]
    const texts = [other.toString("base64url"), `${signature.slice(0, -1)}${last}`, `${signature}=`]
    return texts.map((each) => `${head}.${body}.${each}`)
  }

  test("stays signed out in every text of it that the provider's key verifies", async () => {
    const http = await startServer({ app: { sessions: verifierOf() } })
    const statusOf = async (token: string, path = "/api/me", method = "GET") =>
      (await http.fetch(path, { method, headers: { cookie: `parley_session=${token}` } })).status
    const token = await key.sign(claims())
    const twins = twinsOf(token)
    expect(Exit.isSuccess(await judged(twins[0] ?? ""))).toBe(true)
    expect(await statusOf(token, "/api/sign-out", "POST")).toBe(200)
    for (const text of [token, ...twins]) expect(await statusOf(text)).toBe(401)
    await http.close()
  })

  test("stays signed out for the minute by which it may count after its end", async () => {
    const http = await startServer({ app: { sessions: verifierOf() } })
    const cookie = `parley_session=${await key.sign({ ...claims(), exp: now - 20 })}`
    const statusOf = async (path: string, method: string) =>
      (await http.fetch(path, { method, headers: { cookie } })).status
    expect(await statusOf("/api/me", "GET")).toBe(200)
    expect(await statusOf("/api/sign-out", "POST")).toBe(200)
    expect(await statusOf("/api/me", "GET")).toBe(401)
    await http.close()
  })
})
