import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto"
import { Effect, Exit } from "effect"
import { CompactSign, exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { HmacSessionVerifier, JwksSessionVerifier } from "../../src/index.ts"
import { KeyServer, makeKey, type SigningKey } from "../support/KeyServer.ts"

let server: KeyServer
let keys: Readonly<Record<"RS256" | "ES256" | "EdDSA", SigningKey>>
/** A server from which an attacker would have keys fetched. */
let strangers: KeyServer
let stranger: SigningKey
beforeAll(async () => {
  const [RS256, ES256, EdDSA] = await Promise.all([makeKey("RS256"), makeKey("ES256"), makeKey("EdDSA")])
  keys = { RS256, ES256, EdDSA }
  stranger = await makeKey("RS256")
  server = await KeyServer.start(RS256, ES256, EdDSA)
  strangers = await KeyServer.start(stranger)
})
afterAll(() => Promise.all([server.down(), strangers.down()]))

let verifier: ReturnType<typeof JwksSessionVerifier.make>
beforeEach(() => {
  verifier = JwksSessionVerifier.make({ jwksUrl: server.jwksUrl, issuer: server.issuer, audience: "parley" })
})

const now = Math.floor(Date.now() / 1_000)
/** Issued before the keys are fetched, so that an unknown key is not awaited. */
const claims = () => ({ sub: "ann", iss: server.issuer, aud: "parley", iat: now - 60, exp: now + 3_600 })
const verify = (token: string) => Effect.runPromiseExit(verifier.verify(token))
const expectRefused = async (token: string) => expect(String(await verify(token))).toContain("SessionInvalid")

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
/** A token signed by HMAC with any bytes, as no library would. */
const hmacToken = (secret: string | Buffer, header: Readonly<Record<string, unknown>>) => {
  const signed = `${part(header)}.${part(claims())}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

test("a token of each algorithm is accepted, all of them beside one another", async () => {
  for (const key of Object.values(keys)) expect(Exit.isSuccess(await verify(await key.sign(claims())))).toBe(true)
})

describe("a token is refused that", () => {
  test("is signed with a public key as if that were a secret, in every way it can be written", async () => {
    for (const { kid, publicKey } of Object.values(keys)) {
      const key = createPublicKey({ key: publicKey as never, format: "jwk" })
      const pem = key.export({ type: "spki", format: "pem" }) as string
      const secrets = [
        ...[pem, pem.trim(), pem.replaceAll("\n", "\r\n")],
        key.export({ type: "spki", format: "der" }),
        JSON.stringify(publicKey),
        Buffer.from(String(publicKey.n ?? publicKey.x), "base64url"),
        String(publicKey.n ?? publicKey.x),
        ""
      ]
      for (const secret of secrets) {
        await expectRefused(hmacToken(secret, { alg: "HS256", kid }))
        await expectRefused(hmacToken(secret, { alg: publicKey.alg, kid }))
      }
    }
  })

  test("is signed with a key of a set of secrets", async () => {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
    await using own = await KeyServer.start(keys.RS256)
    own.keys = [...own.keys, { kty: "oct", k: secret.toString("base64url"), kid: "shared", alg: "HS256" }]
    const { verify: judge } = JwksSessionVerifier.make({ jwksUrl: own.jwksUrl })
    const exit = await Effect.runPromiseExit(judge(hmacToken(secret, { alg: "HS256", kid: "shared" })))
    expect(String(exit)).toContain("SessionInvalid")
  })

  test("is not signed", async () => {
    await expectRefused(new UnsecuredJWT(claims()).encode())
    for (const alg of ["none", "None", "NONE", "nOnE", "", null, undefined, 0, ["RS256"], { toString: "RS256" }]) {
      for (const signature of ["", "AA", "."]) {
        await expectRefused(`${part({ alg, kid: keys.RS256.kid })}.${part(claims())}.${signature}`)
      }
    }
  })

  test("brings its own key, or the address of one, which is never asked", async () => {
    const { kid, publicKey } = stranger
    const headers = [
      { kid, jwk: publicKey },
      { kid: keys.RS256.kid, jwk: publicKey },
      { kid, jku: strangers.jwksUrl },
      { kid: keys.RS256.kid, jku: strangers.jwksUrl },
      { kid, x5u: strangers.jwksUrl },
      { kid: strangers.jwksUrl },
      { kid, iss: strangers.issuer }
    ]
    for (const header of headers) await expectRefused(await stranger.sign(claims(), header))
    await expectRefused(await stranger.sign({ ...claims(), iss: strangers.issuer }))
    expect(strangers.seen).toEqual([])
  })

  test("names a key by anything but its name", async () => {
    const names = [
      ...["../../../dev/null", "/dev/null", "file:///dev/null", "' OR 1=1 --", "$(id)", "|id", "\0", "*", ".*", " "],
      ...["__proto__", "constructor", "toString", "hasOwnProperty", "0", "", "x".repeat(8_000)],
      ...[`${keys.RS256.kid} `, ` ${keys.RS256.kid}`, `${keys.RS256.kid}\0`, keys.RS256.kid.toUpperCase()]
    ]
    for (const kid of names) await expectRefused(await stranger.sign(claims(), { kid }))
    for (const kid of [0, null, true, [keys.RS256.kid], { kid: keys.RS256.kid }]) {
      const [, payload = "", signature = ""] = (await keys.RS256.sign(claims())).split(".")
      await expectRefused(`${part({ alg: "RS256", kid })}.${payload}.${signature}`)
    }
  })

  test("names the key of another algorithm", async () => {
    for (const signing of Object.values(keys)) {
      for (const named of Object.values(keys)) {
        const token = await signing.sign(claims(), { kid: named.kid })
        expect(Exit.isSuccess(await verify(token))).toBe(signing === named)
      }
    }
  })

  test.each(["RS384", "RS512", "PS256", "ES384", "ES512"])("is signed with %s, by any key", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const jwk = await exportJWK(publicKey)
    await using own = await KeyServer.start(keys.RS256)
    own.keys = [...own.keys, { ...jwk, kid: "own" }, { ...jwk, kid: "named", alg }]
    const { verify: judge } = JwksSessionVerifier.make({ jwksUrl: own.jwksUrl })
    for (const kid of ["own", "named"]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg, kid }).sign(privateKey)
      expect(String(await Effect.runPromiseExit(judge(token)))).toContain("SessionInvalid")
    }
  })

  test("is signed with an RSA key that is too short", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 })
    await using own = await KeyServer.start(keys.RS256)
    own.keys = [...own.keys, { ...publicKey.export({ format: "jwk" }), kid: "short" }]
    const { createSign } = await import("node:crypto")
    const signed = `${part({ alg: "RS256", kid: "short" })}.${part(claims())}`
    const token = `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`
    const { verify: judge } = JwksSessionVerifier.make({ jwksUrl: own.jwksUrl })
    expect(String(await Effect.runPromiseExit(judge(token)))).toContain("SessionInvalid")
  })

  test("is signed with a key for encryption, or one whose secret part is public", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true })
    const jwk = await exportJWK(privateKey)
    const { d: _, ...open } = jwk
    await using own = await KeyServer.start(keys.RS256)
    own.keys = [...own.keys, { ...jwk, kid: "leaked" }, { ...open, kid: "enc", use: "enc" }]
    const { verify: judge } = JwksSessionVerifier.make({ jwksUrl: own.jwksUrl })
    for (const kid of ["leaked", "enc"]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey)
      expect(String(await Effect.runPromiseExit(judge(token)))).toContain("SessionInvalid")
    }
  })

  test("has an unknown critical header", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
    await using own = await KeyServer.start(keys.RS256)
    own.keys = [...own.keys, { ...(await exportJWK(publicKey)), kid: "own" }]
    const { verify: judge } = JwksSessionVerifier.make({ jwksUrl: own.jwksUrl })
    const body = new TextEncoder().encode(JSON.stringify(claims()))
    const sign = (header: Readonly<Record<string, unknown>>) =>
      new CompactSign(body)
        .setProtectedHeader({ alg: "ES256", kid: "own", ...header })
        .sign(privateKey, { crit: { "x-new": true, b64: true } })
    const plain = await Effect.runPromiseExit(judge(await sign({})))
    expect(Exit.isSuccess(plain)).toBe(true)
    const odd = await sign({ crit: ["x-new"], "x-new": 1 })
    expect(String(await Effect.runPromiseExit(judge(odd)))).toContain("SessionInvalid")
  })

  test("is changed, cut short or put together of two", async () => {
    const [head, body, signature] = (await keys.ES256.sign(claims())).split(".")
    const [, otherBody, otherSignature] = (await keys.ES256.sign({ ...claims(), sub: "eve" })).split(".")
    await expectRefused(`${head}.${otherBody}.${signature}`)
    await expectRefused(`${head}.${body}.${otherSignature}`)
    await expectRefused(`${head}.${body}.`)
    await expectRefused(`${head}.${body}.${"A".repeat(86)}`)
    await expectRefused(`${head}.${body}`)
    await expectRefused(`${head}.${body}.${signature}.${signature}`)
  })
})

describe("claims", () => {
  test.each<readonly [string, Record<string, unknown>]>([
    ["another issuer", { iss: "https://other.example" }],
    ["an issuer with a slash more", { iss: "/" }],
    ["no issuer", { iss: undefined }],
    ["issuers in a list", { iss: ["here"] }],
    ["another audience", { aud: "other" }],
    ["no audience", { aud: undefined }],
    ["an end in the past", { exp: 1_000_000 }],
    ["no end", { exp: undefined }],
    ["an end that no date can hold", { exp: 1e15 }],
    ["an end that is no number", { exp: "later" }],
    ["a beginning in the future", { nbf: 4_000_000_000 }],
    ["no subject", { sub: undefined }],
    ["a subject that is a number", { sub: 7 }],
    ["an empty subject", { sub: "" }]
  ])("that say %s prove no session", async (_, other) => {
    const iss = other["iss"] === "/" ? `${server.issuer}/` : other["iss"]
    const more = "iss" in other ? { ...other, iss } : other
    await expectRefused(await keys.RS256.sign({ ...claims(), ...more } as never))
  })

  test("that name this audience among others prove one", async () => {
    expect(Exit.isSuccess(await verify(await keys.RS256.sign({ ...claims(), aud: ["other", "parley"] })))).toBe(true)
  })
})

test("a verifier with a secret accepts no token of a public key, with any secret", async () => {
  const key = await importJWK(keys.RS256.publicKey, "RS256")
  expect((key as CryptoKey).type).toBe("public")
  const pem = createPublicKey({ key: keys.RS256.publicKey as never, format: "jwk" }).export({
    type: "spki",
    format: "pem"
  }) as string
  const { verify: judge } = HmacSessionVerifier.make({ secret: pem })
  for (const key of Object.values(keys)) {
    expect(String(await Effect.runPromiseExit(judge(await key.sign(claims()))))).toContain("SessionInvalid")
  }
})

describe("where the keys are", () => {
  test.each([
    "http://id.example/keys",
    "http://127.0.0.1.example/keys",
    "http://localhost.example/keys",
    "ftp://127.0.0.1/keys",
    "https://user:word@id.example/keys",
    "https://id.example/keys#here",
    "keys",
    ""
  ])("cannot be %j: anybody on the way could put others in", (address) => {
    expect(() => JwksSessionVerifier.make({ jwksUrl: address })).toThrow("jwksUrl")
    expect(() => JwksSessionVerifier.make({ issuer: address })).toThrow("issuer")
  })

  test("must be configured: an audience alone names no provider", () => {
    expect(() => JwksSessionVerifier.make({ audience: "parley" })).toThrow("jwksUrl")
  })

  test("is found by discovery, below the issuer's own path, whose name counts to the letter", async () => {
    const key = await makeKey()
    await using own = await KeyServer.start(key)
    for (const path of ["", "/", "/realms/one", "/realms/one/"]) {
      const issuer = `${own.issuer}${path}`
      own.description = { issuer }
      const { verify: judge } = JwksSessionVerifier.make({ issuer })
      expect(Exit.isSuccess(await Effect.runPromiseExit(judge(await key.sign({ sub: "ann", iss: issuer }))))).toBe(true)
      const other = await key.sign({ sub: "ann", iss: `${issuer}x` })
      expect(String(await Effect.runPromiseExit(judge(other)))).toContain("SessionInvalid")
    }
    expect(own.seen.filter((each) => each !== "/keys")).toEqual([
      ...["/.well-known/openid-configuration", "/.well-known/openid-configuration"],
      ...["/realms/one/.well-known/openid-configuration", "/realms/one/.well-known/openid-configuration"]
    ])
  })

  test.each<readonly [string, Record<string, unknown>, string]>([
    ["another issuer", { issuer: "https://other.example" }, "other-issuer"],
    ["itself with a slash more", { issuer: "slash" }, "other-issuer"],
    ["no issuer", { issuer: undefined }, "other-issuer"],
    ["no keys", { jwks_uri: undefined }, "no-address"],
    ["keys that come over plain http", { jwks_uri: "http://id.example/keys" }, "no-address"],
    ["keys in a file", { jwks_uri: "file:///etc/passwd" }, "no-address"],
    ["keys at a number", { jwks_uri: 7 }, "no-address"]
  ])("is not known where the description names %s", async (_, description, problem) => {
    const key = await makeKey()
    await using own = await KeyServer.start(key)
    own.description = description["issuer"] === "slash" ? { issuer: `${own.issuer}/` } : description
    const { verify: judge } = JwksSessionVerifier.make({ issuer: own.issuer })
    const token = await key.sign({ sub: "ann", iss: own.issuer })
    expect(await Effect.runPromise(Effect.flip(judge(token)))).toMatchObject({
      _tag: "SessionVerifierUnavailable",
      cause: { problem }
    })
    expect(own.fetches).toBe(0)
  })
})
