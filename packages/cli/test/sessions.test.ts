import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CLIENT_ID, OAuthServer } from "../../../test/support/OAuthServer.ts"
import type { Environment } from "../src/config/EnvironmentReader.ts"
import { readConfig } from "../src/config/readConfig.ts"
import { unboundSessions, weakSecrets } from "../src/config/rules/securityWarnings.ts"
import { serveRefusals } from "../src/config/rules/serveRules.ts"
import { sessionCookieName } from "../src/config/session/sessionProof.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"

const SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"
const ISSUER = "https://id.example.com"
const JWKS_URL = "https://id.example.com/keys"

const read = (environment: Environment) => Effect.runPromise(readConfig(environment, "/srv/parley"))
const problemsOf = async (environment: Environment) =>
  (await Effect.runPromise(Effect.flip(readConfig(environment, "/srv/parley")))).problems

describe("what proves sessions", () => {
  it("is the provider found by its issuer, the keys at an address, a secret, or the development sign-in", async () => {
    const proofOf = async (environment: Environment) => (await read(environment)).session.proof
    expect(await proofOf({})).toBeUndefined()
    expect(await proofOf({ PARLEY_SESSION_AUDIENCE: "parley" })).toBeUndefined()
    expect(await proofOf({ PARLEY_SESSION_ISSUER: ISSUER })).toEqual({ _tag: "Keys", jwksUrl: undefined })
    const keys = { PARLEY_SESSION_JWKS_URL: JWKS_URL }
    expect(await proofOf(keys)).toEqual({ _tag: "Keys", jwksUrl: JWKS_URL })
    expect(await proofOf({ ...keys, PARLEY_SESSION_ISSUER: "us" })).toEqual({ _tag: "Keys", jwksUrl: JWKS_URL })
    const secret = { PARLEY_SESSION_SECRET: SECRET, PARLEY_SESSION_ISSUER: "us" }
    expect(await proofOf(secret)).toMatchObject({ _tag: "Secret" })
  })

  it("is never both a secret and keys, and never what comes over plain http from elsewhere", async () => {
    const both = { PARLEY_SESSION_SECRET: SECRET, PARLEY_SESSION_JWKS_URL: JWKS_URL }
    expect(await problemsOf(both)).toEqual([expect.stringMatching(/^PARLEY_SESSION_JWKS_URL: .*PARLEY_SESSION_SECRET/)])
    for (const PARLEY_SESSION_JWKS_URL of ["http://hunter2.example/keys", "hunter2", "https://u:hunter2@id.example/"]) {
      const problems = await problemsOf({ PARLEY_SESSION_JWKS_URL })
      expect(problems).toEqual([expect.stringMatching(/^PARLEY_SESSION_JWKS_URL: expected an address/)])
      expect(problems.join()).not.toContain("hunter2")
    }
    for (const PARLEY_SESSION_ISSUER of ["http://id.example.com", "us", "https://id.example.com/?tenant=1"]) {
      expect(await problemsOf({ PARLEY_SESSION_ISSUER })).toEqual([
        expect.stringMatching(/^PARLEY_SESSION_ISSUER: expected an address/)
      ])
    }
    expect((await read({ PARLEY_SESSION_ISSUER: "http://127.0.0.1:8080/realms/one" })).session.proof).toBeDefined()
  })

  it("lets a server be reached by others, and warns where tokens of other applications would count", async () => {
    const reachable = { HOST: "0.0.0.0", PARLEY_SESSION_ISSUER: ISSUER }
    const config = await read(reachable)
    expect(serveRefusals(config)).toEqual([])
    expect(unboundSessions(config).map(({ setting }) => setting)).toEqual(["PARLEY_SESSION_AUDIENCE"])
    expect(unboundSessions(await read({ ...reachable, PARLEY_SESSION_AUDIENCE: "parley" }))).toEqual([])
    const keys = await read({ PARLEY_SESSION_JWKS_URL: JWKS_URL })
    expect(unboundSessions(keys).map(({ setting }) => setting)).toEqual([
      "PARLEY_SESSION_ISSUER",
      "PARLEY_SESSION_AUDIENCE"
    ])
    expect(unboundSessions(await read({ PARLEY_SESSION_SECRET: SECRET }))).toEqual([])
  })

  it.each<readonly [string, Environment]>([
    ["a secret", { PARLEY_SESSION_SECRET: SECRET }],
    ["keys at an address", { PARLEY_SESSION_JWKS_URL: JWKS_URL }]
  ])("is served in production with issuer and audience only: %s", async (_, proof) => {
    const production = { NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1", ...proof }
    const named = async (more: Environment) =>
      serveRefusals(await read({ ...production, ...more })).map((refusal) => refusal.split(":")[0])
    const [issuer, audience] = [{ PARLEY_SESSION_ISSUER: ISSUER }, { PARLEY_SESSION_AUDIENCE: "parley" }]
    expect(await named({})).toEqual(["PARLEY_SESSION_ISSUER", "PARLEY_SESSION_AUDIENCE"])
    expect(await named(issuer)).toEqual(["PARLEY_SESSION_AUDIENCE"])
    expect(await named(audience)).toEqual(["PARLEY_SESSION_ISSUER"])
    expect(await named({ ...issuer, ...audience })).toEqual([])
  })

  it("is each of several secrets, none of them empty, and none weak in production", async () => {
    const second = "Hn4cW8pRk2Yd6TzM9vQb3FsX7jLg5EaU"
    const secretsOf = async (text: string) => {
      const { proof } = (await read({ PARLEY_SESSION_SECRET: text })).session
      return proof?._tag === "Secret" && proof.secrets.map(Redacted.value)
    }
    expect(await secretsOf(SECRET)).toEqual([SECRET])
    // One secret may contain a comma: the whole text counts, too.
    expect(await secretsOf(`${SECRET}, ${second}`)).toEqual([SECRET, second, `${SECRET}, ${second}`])
    expect(await problemsOf({ PARLEY_SESSION_SECRET: `${SECRET},` })).toEqual([
      expect.stringMatching(/^PARLEY_SESSION_SECRET: /)
    ])
    const weak = await read({ PARLEY_SESSION_SECRET: `${SECRET},hunter2` })
    expect(weakSecrets(weak).map(({ setting }) => setting)).toEqual(["PARLEY_SESSION_SECRET"])
  })

  it("may be limited in age, and described by other claims than the usual ones", async () => {
    const claims = {
      PARLEY_SESSION_MAX_AGE: "3600",
      PARLEY_SESSION_USER_CLAIM: "https://example.com/id",
      PARLEY_SESSION_EMAIL_CLAIM: "mail",
      PARLEY_SESSION_NAME_CLAIM: "user_metadata.nick",
      PARLEY_SESSION_ROLE_CLAIM: "app_metadata.parley_role"
    }
    expect((await read(claims)).session).toMatchObject({
      maxAgeSeconds: 3600,
      userClaim: "https://example.com/id",
      emailClaim: "mail",
      nameClaim: "user_metadata.nick",
      roleClaim: "app_metadata.parley_role"
    })
    expect((await read({})).session).toMatchObject({ maxAgeSeconds: 86_400, userClaim: "sub" })
    for (const [name, value] of [
      ["PARLEY_SESSION_MAX_AGE", "0"],
      ["PARLEY_SESSION_MAX_AGE", "forever"],
      ["PARLEY_SESSION_USER_CLAIM", "user_metadata.id"],
      ["PARLEY_SESSION_ROLE_CLAIM", "user_metadata.parley_role"],
      ["PARLEY_SESSION_ROLE_CLAIM", "unsafe_metadata.role"]
    ] as const) {
      expect(await problemsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name}: expected`)])
    }
  })
})

describe("the preset of Supabase", () => {
  const preset = { PARLEY_SESSION_PRESET: "supabase", PARLEY_SESSION_ISSUER: "https://abcdefgh.supabase.co/auth/v1" }

  it("takes cookie, audience and keys from the project's address, which is all that is needed", async () => {
    const config = await read({ ...preset, PARLEY_BASE_URL: "https://parley.example" })
    expect(config.session).toMatchObject({
      cookieName: "sb-abcdefgh-auth-token",
      audience: "authenticated",
      issuer: preset.PARLEY_SESSION_ISSUER,
      proof: { _tag: "Keys", jwksUrl: "https://abcdefgh.supabase.co/auth/v1/.well-known/jwks.json" }
    })
    expect(sessionCookieName(config)).toBe("sb-abcdefgh-auth-token")
    expect(unboundSessions(config)).toEqual([])
  })

  it("leaves what is set, and a project's older secret", async () => {
    const own = { PARLEY_SESSION_COOKIE: "sid", PARLEY_SESSION_AUDIENCE: "us", PARLEY_SESSION_SECRET: SECRET }
    expect((await read({ ...preset, ...own })).session).toMatchObject({
      cookieName: "sid",
      audience: "us",
      proof: { _tag: "Secret" }
    })
    const keys = await read({ ...preset, PARLEY_SESSION_JWKS_URL: JWKS_URL })
    expect(keys.session.proof).toEqual({ _tag: "Keys", jwksUrl: JWKS_URL })
  })

  it("is reported if the project's address is missing, or if the preset does not exist", async () => {
    expect(await problemsOf({ PARLEY_SESSION_PRESET: "supabase" })).toEqual([
      expect.stringMatching(/^PARLEY_SESSION_ISSUER: expected .*supabase\.co/)
    ])
    expect(await problemsOf({ PARLEY_SESSION_PRESET: "firebase" })).toEqual([
      "PARLEY_SESSION_PRESET: expected one of supabase, auth0, clerk, keycloak, better-auth"
    ])
  })
})

describe("the other presets", () => {
  it.each<readonly [string, string, object, string]>([
    ["auth0", "https://tenant.eu.auth0.com/", { audience: undefined, jwksUrl: undefined }, "__Host-parley_session"],
    ["keycloak", "https://id.example/realms/one", { audience: undefined, jwksUrl: undefined }, "__Host-parley_session"],
    ["clerk", "https://clerk.example.com", { audience: undefined, jwksUrl: "/.well-known/jwks.json" }, "__session"],
    [
      "better-auth",
      "https://app.example.com",
      { audience: "https://app.example.com", jwksUrl: "/api/auth/jwks" },
      "__Secure-better-auth.session_data"
    ]
  ])("%s takes from its issuer what follows from it", async (preset, issuer, expected, cookie) => {
    const base = { PARLEY_SESSION_PRESET: preset, PARLEY_BASE_URL: "https://parley.example" }
    const config = await read({ ...base, PARLEY_SESSION_ISSUER: issuer })
    const { audience, proof } = config.session
    const jwksUrl = proof?._tag === "Keys" ? proof.jwksUrl?.slice(issuer.length) : "a secret"
    expect({ audience, jwksUrl }).toEqual(expected)
    expect(sessionCookieName(config)).toBe(cookie)
    const own = await read({ ...base, PARLEY_SESSION_ISSUER: issuer, PARLEY_SESSION_COOKIE: "sid" })
    expect(sessionCookieName(own)).toBe("sid")
    expect(await problemsOf(base)).toEqual([expect.stringMatching(/^PARLEY_SESSION_ISSUER: expected/)])
  })
})

describe("a server whose sessions a provider signs", () => {
  let provider: OAuthServer
  beforeAll(async () => {
    const client = { pkce: false, tokenAuth: "client_secret_post", redirectUris: ["http://127.0.0.1:9/back"] } as const
    provider = await OAuthServer.start(client)
  })
  afterAll(() => provider.down())

  const environment = () => ({ PARLEY_SESSION_ISSUER: provider.issuer, PARLEY_SESSION_AUDIENCE: CLIENT_ID })

  it("says so when it starts, accepts its tokens, and offers no sign-in of its own", async () => {
    using folder = temporaryFolder()
    await using server = await serveHere(folder.path, environment())
    expect(server.said.stdout).toContain(`sessions signed with the keys of ${provider.issuer}`)
    const cookie = `parley_session=${await provider.identityToken()}`
    const me = await fetch(`${server.url}/api/me`, { headers: { cookie } })
    expect([me.status, await me.json()]).toMatchObject([200, { userId: "account-1" }])
    const signIn = await fetch(`${server.url}/dev/sign-in`, { method: "POST", body: '{"email":"ann@example.com"}' })
    expect(signIn.status).toBe(404)
    await provider.rotateKeys({ keepOld: false })
    const next = `parley_session=${await provider.identityToken()}`
    expect((await fetch(`${server.url}/api/me`, { headers: { cookie: next } })).status).toBe(200)
  })

  it("starts while the provider is away, answers 503 and not 401, and recovers by itself", async () => {
    using folder = temporaryFolder()
    const token = await provider.identityToken()
    await provider.down()
    await using server = await serveHere(folder.path, environment())
    const ask = () => fetch(`${server.url}/api/me`, { headers: { cookie: `parley_session=${token}` } })
    const away = await ask()
    expect([away.status, await away.json()]).toMatchObject([503, { code: "identity_unavailable" }])
    await provider.up()
    const deadline = Date.now() + 20_000
    let answer = await ask()
    while (answer.status === 503 && Date.now() < deadline) {
      await new Promise((go) => setTimeout(go, 250))
      answer = await ask()
    }
    expect(answer.status).toBe(200)
  })

  it("is looked at by doctor: keys that can be fetched, an issuer of another name, a provider that is away", async () => {
    using folder = temporaryFolder()
    const checkOf = async (more: Readonly<Record<string, string>> = {}) => {
      const { exit, stdout } = await runHere(["doctor", "--json"], folder.path, {
        ...environment(),
        PORT: "0",
        ...more
      })
      const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<{ name: string; detail: string }> }
      return { exit, check: checks.find(({ name }) => name === "session keys") }
    }
    expect(await checkOf()).toMatchObject({
      exit: 0,
      check: { status: "ok", detail: expect.stringContaining("ES256") }
    })
    const slash = await checkOf({ PARLEY_SESSION_ISSUER: `${provider.issuer}/` })
    expect(slash).toMatchObject({ exit: 3, check: { status: "failed", advice: expect.stringContaining("slash") } })
    await provider.down()
    const away = await checkOf()
    expect(away).toMatchObject({
      exit: 69,
      check: { status: "failed", detail: expect.stringContaining("no connection") }
    })
    await provider.up()
  })
})
