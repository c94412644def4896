import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  betterAuthToken,
  changed,
  type Changes,
  type ProviderFixture,
  providerFixtures,
  type TokenFacts
} from "../../../../test/support/providerTokens.ts"
import { HmacSessionVerifier, JwksSessionVerifier, presetDefaults } from "../../src/index.ts"
import { KeyServer, makeKey, type SigningKey, signWithSecret } from "../support/KeyServer.ts"
import { startServer } from "../support/startServer.ts"

const SECRET = new TextEncoder().encode("a project's older secret, long enough for HS256")
const now = Math.floor(Date.now() / 1_000)
const HOUR = 3_600
const YEAR = 365 * 24 * HOUR

/** A provider that publishes its keys, and a verifier that is configured for it. */
const stage = async (fixture: ProviderFixture) => {
  const { algorithm, audience, issuerPath, preset } = fixture
  const isSecret = algorithm === "HS256"
  const key: SigningKey = await makeKey(isSecret ? "RS256" : algorithm)
  const server = await KeyServer.start(key)
  const issuer = `${server.issuer}${issuerPath}`
  server.description = { issuer }
  const defaults = preset === undefined ? undefined : presetDefaults(preset, issuer)
  const expected = { issuer, preset, audience: audience ?? defaults?.audience, ...fixture.personClaims }
  const sign = ({ claims, header }: TokenFacts): Promise<string> =>
    isSecret ? signWithSecret(SECRET, claims, header) : key.sign(claims, header)
  const verifier = isSecret
    ? HmacSessionVerifier.make({ ...expected, secret: SECRET })
    : JwksSessionVerifier.make({ ...expected, jwksUrl: defaults?.jwksUrl })
  const session = fixture.session(issuer, now - 1)
  const judged = async (changes: Changes) =>
    Effect.runPromise(Effect.result(verifier.verify(await sign(changed(session, changes)))))
  return { server, issuer, verifier, defaults, sign, judged }
}

/** Changes that no provider's session token may have. */
const refused: Readonly<Record<string, Changes>> = {
  "another issuer": { claims: { iss: "https://other.example" } },
  "an issuer with other letters": { claims: { iss: "HTTP://127.0.0.1" } },
  "another audience": { claims: { aud: "another-application", azp: "another-application" } },
  "no audience": { claims: { aud: undefined, azp: undefined } },
  "no subject": { claims: { sub: undefined } },
  "no end": { claims: { exp: undefined } },
  "an end in a hundred years": { claims: { exp: now + 100 * YEAR } },
  "an end in a hundred years, issued just before": { claims: { exp: now + 100 * YEAR, iat: now + 100 * YEAR - HOUR } },
  "an end in a hundred years, without an issue": { claims: { exp: now + 100 * YEAR, iat: undefined } },
  "a lifetime of more than a day": { claims: { iat: now - HOUR, exp: now + 24 * HOUR } },
  "an issue before all time": { claims: { iat: -1e12 } },
  "an issue that is a text": { claims: { iat: "now" } },
  "an end a minute and a half ago": { claims: { iat: now - HOUR, exp: now - 90 } },
  "a beginning in a minute and a half": { claims: { nbf: now + 90 } },
  "a password reset by its type": { header: { typ: "passwordreset+jwt" } },
  "a refresh token by its type": { header: { typ: "rt+jwt" } },
  "a type that is no text": { header: { typ: ["JWT"] } },
  "an empty type": { header: { typ: "" } },
  "a refresh token by its use (Amazon Cognito)": { claims: { token_use: "refresh" } },
  "a refresh token by token_type": { claims: { token_type: "refresh" } },
  "a refresh token by type": { claims: { type: "refresh" } },
  "a refresh token by typ": { claims: { typ: "Refresh" } },
  "a type in the claims that is no text": { claims: { typ: { session: true } } },
  "an e-mail verification by its purpose": { claims: { purpose: "email_verification" } },
  "the service's own role": { claims: { role: "service_role" } },
  "a client as its own subject": { claims: { sub: "client-1", client_id: "client-1" } },
  "a program's type (Microsoft Entra)": { claims: { idtyp: "app" } },
  "an event": { claims: { events: {} } }
}

describe.each(Object.entries(providerFixtures))("the tokens of %s", (_, fixture) => {
  let provider: Awaited<ReturnType<typeof stage>>
  beforeAll(async () => {
    provider = await stage(fixture)
  })
  afterAll(() => provider.server.down())

  test("prove their person", async () => {
    expect(await provider.judged({})).toMatchObject({ _tag: "Success", success: fixture.person })
    if (fixture.keysPath !== undefined) expect(provider.server.seen.at(-1)).toBe(fixture.keysPath)
  })

  test("count while the clocks differ by less than a minute", async () => {
    for (const claims of [{ iat: now - HOUR, exp: now - 30 }, { nbf: now + 30 }, { iat: now + 30, exp: now + HOUR }]) {
      expect(await provider.judged({ claims })).toMatchObject({ _tag: "Success" })
    }
  })

  test.each(Object.entries(refused))("are refused with %s", async (_case, changes) => {
    expect(await provider.judged(changes)).toMatchObject({ _tag: "Failure", failure: { _tag: "SessionInvalid" } })
  })

  test.each(Object.entries(fixture.foreign))("are refused if one is %s", async (_case, changes) => {
    expect(await provider.judged(changes)).toMatchObject({ _tag: "Failure", failure: { _tag: "SessionInvalid" } })
  })

  test("count over https in their own cookie, under no other name, and not beside those of another person", async () => {
    const { defaults, issuer, sign, verifier } = provider
    const token = await sign(fixture.session(issuer, now - 1))
    const server = await startServer({
      app: {
        sessions: verifier,
        baseUrl: "https://parley.example",
        sessionPreset: fixture.preset,
        sessionCookie: defaults?.cookie
      }
    })
    const statusOf = async (cookies: ReadonlyArray<string>) =>
      (await server.fetch("/api/me", { headers: { cookie: cookies.join("; ") } })).status
    expect(await statusOf(fixture.cookies(token))).toBe(200)
    const other = fixture.session(issuer, now - 2)
    const planted = fixture.cookies(await sign(changed(other, { claims: { sub: "eve" } })))
    expect(await statusOf(planted)).toBe(200)
    expect(await statusOf([...fixture.cookies(token), ...planted])).toBe(401)
    expect(await statusOf([...planted, ...fixture.cookies(token)])).toBe(401)
    expect(await statusOf([`parley_session=${token}`, `session=${token}`, `access_token=${token}`])).toBe(401)
    await server.close()
  })
})

test("a bearer token of better-auth's own address proves its person beside the cookie", async () => {
  const fixture = providerFixtures["better-auth"] as ProviderFixture
  const { issuer, server, sign, verifier } = await stage(fixture)
  const facts = betterAuthToken(issuer, now)
  const session = await Effect.runPromise(verifier.verify(await sign(facts)))
  expect(session).toMatchObject(fixture.person)
  const unverified = changed(facts, { claims: { emailVerified: false } })
  expect((await Effect.runPromise(verifier.verify(await sign(unverified)))).email).toBeUndefined()
  await server.down()
})
