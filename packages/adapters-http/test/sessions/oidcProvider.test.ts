import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import {
  ACCOUNT,
  CLIENT_ID,
  OAuthServer,
  type OAuthServerOptions,
  type SigningAlgorithm
} from "../../../../test/support/OAuthServer.ts"
import { JwksSessionVerifier } from "../../src/index.ts"
import { expectProblem } from "../support/expectProblem.ts"
import { startServer } from "../support/startServer.ts"

const startProvider = (algorithm: SigningAlgorithm) => {
  const client: OAuthServerOptions = { pkce: false, tokenAuth: "client_secret_post", algorithm }
  return OAuthServer.start({ ...client, redirectUris: ["http://127.0.0.1:9/back"] })
}

const fetchesOf = ({ seen }: OAuthServer) => seen.filter((request) => request === "GET /jwks").length

describe.each(["RS256", "ES256", "EdDSA"] as const)("a provider that others wrote, signing with %s", (algorithm) => {
  test("signs people in, by its issuer alone, and through a change of its keys under load", async () => {
    await using provider = await startProvider(algorithm)
    const sessions = JwksSessionVerifier.make({ issuer: provider.issuer, audience: CLIENT_ID })
    const server = await startServer({ app: { sessions } })
    const ask = (token: string) => server.fetch("/api/me", { headers: { cookie: `parley_session=${token}` } })
    const old = await provider.identityToken()
    const me = await ask(old)
    expect([me.status, await me.json()]).toMatchObject([200, { userId: ACCOUNT.id, email: ACCOUNT.name }])

    await provider.rotateKeys({ keepOld: true })
    const next = await provider.identityToken()
    const load = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(index % 2 === 0 ? old : next)))
    expect(load.filter(({ status }) => status !== 200)).toEqual([])
    expect(fetchesOf(provider)).toBe(2)

    // While it is down, tokens signed with a known key count.
    await provider.down()
    expect((await ask(next)).status).toBe(200)
    const stranger = await startServer({
      app: { sessions: JwksSessionVerifier.make({ issuer: provider.issuer, audience: CLIENT_ID }) }
    })
    const unjudged = await stranger.fetch("/api/me", { headers: { cookie: `parley_session=${next}` } })
    await expectProblem(unjudged, 503, "identity_unavailable")
    await Promise.all([server.close(), stranger.close()])
  })
})

test("a token for another client, or of another provider, is refused", async () => {
  await using provider = await startProvider("ES256")
  await using other = await startProvider("ES256")
  const [own, foreign] = [await provider.identityToken(), await other.identityToken()]
  const refusalOf = (options: { readonly issuer: string; readonly audience: string }, token: string) =>
    Effect.runPromise(Effect.flip(JwksSessionVerifier.make(options).verify(token)))
  const { issuer } = provider
  expect(await refusalOf({ issuer, audience: "another-client" }, own)).toMatchObject({ _tag: "SessionInvalid" })
  expect(await refusalOf({ issuer, audience: CLIENT_ID }, foreign)).toMatchObject({ _tag: "SessionInvalid" })
})
