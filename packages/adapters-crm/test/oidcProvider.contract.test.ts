import { crmProviderContract } from "@parley/core/testing"
import { Effect, Redacted } from "effect"
import { CLIENT_ID, CLIENT_SECRET, OAuthServer, type OAuthServerOptions } from "../../../test/support/OAuthServer.ts"
import { makeOAuthCrmProvider, type OAuthCrmOptions } from "../src/index.ts"

const REDIRECT_URI = "http://localhost:3000/api/crm/provider_one/callback"

const stage = (id: OAuthCrmOptions["id"], options: OAuthServerOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => OAuthServer.start({ ...options, redirectUris: [REDIRECT_URI] })),
      (server) => Effect.promise(() => server.down())
    ),
    (server) => ({
      provider: makeOAuthCrmProvider({
        id,
        name: "Example",
        authorizeUrl: server.authorizeUrl,
        tokenUrl: server.tokenUrl,
        revokeUrl: server.revokeUrl,
        issuer: server.issuer,
        tokenAuth: options.tokenAuth,
        scopes: ["openid", "email"],
        limits: { callMs: 110_000 },
        clientId: CLIENT_ID,
        clientSecret: options.tokenAuth === "none" ? undefined : Redacted.make(CLIENT_SECRET)
      }),
      approve: (url: URL) => Effect.promise(async () => (await server.answer(url, "approve")).searchParams),
      tokenCalls: Effect.sync(() => server.tokenCalls),
      failNext: (fault: "unavailable" | "lost" | "garbage") => Effect.sync(() => server.failNext(fault)),
      rotates: true
    })
  )

crmProviderContract(
  "oidc-provider, PKCE, secret in the header",
  stage("provider_one", { pkce: true, tokenAuth: "client_secret_basic" })
)
crmProviderContract(
  "oidc-provider, no PKCE, secret in the form",
  stage("provider_two", { pkce: false, tokenAuth: "client_secret_post" })
)
crmProviderContract("oidc-provider, PKCE, a public client", stage("provider_one", { pkce: true, tokenAuth: "none" }))
