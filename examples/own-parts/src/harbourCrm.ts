import { createHash } from "node:crypto"
import {
  CrmAnswerLost,
  type CrmFailed,
  type CrmProvider,
  CrmRefused,
  type CrmTokens,
  CrmUnavailable
} from "@parley/core/adapter"
import { Effect, Redacted } from "effect"

export interface HarbourOptions {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

type Operation = "exchange" | "refresh" | "revoke"

const TIMEOUT_MS = 10_000

/** The CRM of the harbour: OAuth 2.0 with PKCE. */
export const harbourCrm = ({ clientId, clientSecret, url }: HarbourOptions): CrmProvider => {
  const client = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
  const post = (
    operation: Operation,
    path: string,
    fields: Record<string, string>
  ): Effect.Effect<unknown, CrmFailed> =>
    Effect.gen(function* () {
      const lost = (cause: unknown) => new CrmAnswerLost({ operation, cause })
      const response = yield* Effect.tryPromise({
        try: () =>
          fetch(`${url}${path}`, {
            method: "POST",
            headers: { authorization: client },
            body: new URLSearchParams(fields),
            signal: AbortSignal.timeout(TIMEOUT_MS)
          }),
        catch: lost
      })
      // The CRM's own words stay in `cause`, and tokens are not even there.
      const cause = new Error(`${path} answered ${response.status}.`)
      if (response.status === 429 || response.status === 503) return yield* new CrmUnavailable({ operation, cause })
      if (response.status === 401) return yield* new CrmRefused({ operation, reason: "client", cause })
      if (response.status === 400) return yield* new CrmRefused({ operation, reason: "grant", cause })
      if (!response.ok) return yield* lost(cause)
      return yield* Effect.tryPromise({ try: () => response.json(), catch: lost })
    })
  const tokens = (operation: Operation, fields: Record<string, string>): Effect.Effect<CrmTokens, CrmFailed> =>
    Effect.flatMap(post(operation, "/token", fields), (answer) => {
      const { access_token, expires_in, refresh_token } = answer as Record<string, unknown>
      if (typeof access_token !== "string") {
        return Effect.fail(new CrmAnswerLost({ operation, cause: new Error("The answer has no token.") }))
      }
      return Effect.succeed({
        accessToken: Redacted.make(access_token),
        tokenType: "Bearer",
        ...(typeof refresh_token === "string" && { refreshToken: Redacted.make(refresh_token) }),
        ...(typeof expires_in === "number" && { expiresInSeconds: expires_in })
      })
    })
  return {
    id: "provider_one",
    name: "Harbour",
    usesPkce: true,
    issuer: undefined,
    authorizationUrl: ({ codeVerifier = "", redirectUri, state }) =>
      Effect.sync(() => {
        const address = new URL(`${url}/authorize`)
        address.search = new URLSearchParams({
          response_type: "code",
          client_id: clientId,
          redirect_uri: redirectUri,
          state,
          code_challenge_method: "S256",
          code_challenge: createHash("sha256").update(codeVerifier).digest("base64url")
        }).toString()
        return address
      }),
    exchange: ({ callback, codeVerifier = "", redirectUri }) =>
      tokens("exchange", {
        grant_type: "authorization_code",
        code: callback.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: codeVerifier
      }),
    refresh: (refreshToken) =>
      tokens("refresh", { grant_type: "refresh_token", refresh_token: Redacted.value(refreshToken) }),
    revoke: ({ accessToken, refreshToken = accessToken }) =>
      Effect.as(post("revoke", "/revoke", { token: Redacted.value(refreshToken) }), "revoked" as const)
  }
}
