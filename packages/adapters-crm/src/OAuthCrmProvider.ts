import {
  type AuthorizationInput,
  type CrmFailed,
  type CrmProvider,
  CrmRefused,
  type CrmTokens,
  type ExchangeInput,
  type RevokeInput
} from "@parley/core/adapter"
import { Effect, Redacted } from "effect"
import type * as OAuth from "oauth4webapi"
import { accountOf, type TokenAnswer } from "./account.ts"
import { type CrmLimits, defaultCrmLimits, type OAuthCrmOptions } from "./OAuthCrmOptions.ts"
import { checkOptions, register, type Registration } from "./registration.ts"
import { answerFailure, type CrmOperation, sendingFailure } from "./requests/callFailure.ts"
import { AnswerUnknown } from "./requests/requestErrors.ts"
import { type OutboundRequest, type Sending, sendOnce } from "./requests/sendOnce.ts"
import { inStandardWords, readFields } from "./requests/tokenAnswer.ts"

/** The options with which the OAuth library sends a request. */
type Requests = OAuth.TokenEndpointRequestOptions & OAuth.RevocationRequestOptions

/** Sends one request by a call of the OAuth library. */
type Ask = (registration: Registration, requests: Requests) => Promise<Response>

class OAuthCrmProvider implements CrmProvider {
  readonly id: CrmProvider["id"]
  readonly name: string
  readonly usesPkce: boolean
  readonly issuer: string | undefined
  readonly #options: OAuthCrmOptions
  readonly #limits: CrmLimits
  #registration: Promise<Registration> | undefined

  constructor(options: OAuthCrmOptions) {
    checkOptions(options)
    this.id = options.id
    this.name = options.name
    this.usesPkce = options.id === "provider_one"
    this.issuer = options.issuer
    this.#options = options
    this.#limits = { ...defaultCrmLimits, ...options.limits }
  }

  authorizationUrl({ codeVerifier, redirectUri, state }: AuthorizationInput): Effect.Effect<URL> {
    return Effect.promise(async () => {
      const { authorizeUrl, clientId, scopes } = this.#options
      const url = new URL(authorizeUrl)
      const parameters = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, state }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      if (scopes.length > 0) url.searchParams.set("scope", scopes.join(" "))
      if (codeVerifier !== undefined) {
        const { oauth } = await this.#registered()
        url.searchParams.set("code_challenge", await oauth.calculatePKCECodeChallenge(codeVerifier))
        url.searchParams.set("code_challenge_method", "S256")
      }
      return url
    })
  }

  exchange({ callback, codeVerifier, redirectUri, state }: ExchangeInput): Effect.Effect<CrmTokens, CrmFailed> {
    return Effect.gen({ self: this }, function* () {
      const parameters = yield* this.#validated(callback, state)
      const answer = yield* this.#tokens("exchange", ({ auth, client, oauth, server }, requests) => {
        const verifier = codeVerifier ?? oauth.nopkce
        return oauth.authorizationCodeGrantRequest(server, client, auth, parameters, redirectUri, verifier, requests)
      })
      const account = yield* accountOf(this.#options, answer, this.#limits.lookupMs)
      return { ...answer.tokens, ...(account === undefined ? {} : { account }) }
    })
  }

  refresh(refreshToken: Redacted.Redacted<string>): Effect.Effect<CrmTokens, CrmFailed> {
    const answer = this.#tokens("refresh", ({ auth, client, oauth, server }, requests) =>
      oauth.refreshTokenGrantRequest(server, client, auth, Redacted.value(refreshToken), requests)
    )
    return Effect.map(answer, ({ tokens }) => tokens)
  }

  revoke({ accessToken, refreshToken }: RevokeInput): Effect.Effect<"revoked" | "unsupported", CrmFailed> {
    if (this.#options.revokeUrl === undefined) return Effect.succeed("unsupported")
    const hint = refreshToken === undefined ? "access_token" : "refresh_token"
    const token = Redacted.value(refreshToken ?? accessToken)
    const asked = this.#ask("revoke", ({ auth, client, oauth, server }, requests) =>
      oauth.revocationRequest(server, client, auth, token, {
        ...requests,
        additionalParameters: { token_type_hint: hint }
      })
    )
    return Effect.as(asked, "revoked")
  }

  #registered(): Promise<Registration> {
    return (this.#registration ??= register(this.#options))
  }

  /** Checks that the callback has this provider's issuer, the expected state, and a code. It sends no request. */
  #validated(callback: URLSearchParams, state: string): Effect.Effect<URLSearchParams, CrmRefused> {
    const cause = new Error("The callback has not this provider's issuer, the state and a code.")
    return Effect.tryPromise({
      try: async () => {
        const { client, oauth, server } = await this.#registered()
        const parameters = oauth.validateAuthResponse(server, client, callback, state)
        if (!parameters.has("code")) throw cause
        return parameters
      },
      catch: () => new CrmRefused({ operation: "exchange", reason: "other", cause })
    })
  }

  /** Calls the token endpoint, and reads the tokens from its response. */
  #tokens(operation: CrmOperation, ask: Ask): Effect.Effect<TokenAnswer, CrmFailed> {
    return Effect.flatMap(this.#ask(operation, ask), (response) =>
      Effect.tryPromise({
        try: async () => {
          const { client, oauth, server } = await this.#registered()
          const fields = (await readFields(response)) ?? {}
          const standard = Response.json(inStandardWords(fields, this.#options.issuer))
          const read = await oauth.processGenericTokenEndpointResponse(server, client, standard)
          return { fields, tokens: tokensOf(read), identity: oauth.getValidatedIdTokenClaims(read) }
        },
        // The library's error is dropped, because it contains the whole response with the tokens.
        catch: () => sendingFailure(operation, { sent: true }, new AnswerUnknown(response.status, "no token response"))
      })
    )
  }

  /**
   * Sends one request within its time limit. Every failure has a named type; the result is a response with a success
   * status.
   */
  #ask(operation: CrmOperation, ask: Ask): Effect.Effect<Response, CrmFailed> {
    return Effect.gen({ self: this }, function* () {
      const registration = yield* Effect.promise(() => this.#registered())
      const sending: Sending = { sent: false }
      const { callMs } = this.#limits
      const failed = (cause: unknown) => sendingFailure(operation, sending, cause)
      const response = yield* Effect.tryPromise({
        try: (signal) => ask(registration, requestsOf(registration, sending, signal)),
        catch: failed
      }).pipe(
        Effect.timeoutOrElse({
          duration: callMs,
          orElse: () => Effect.fail(failed(new Error(`No answer within ${callMs} ms.`)))
        })
      )
      const failure = yield* Effect.promise(() => answerFailure(operation, response, this.#options.refusals))
      return failure === undefined ? response : yield* failure
    })
  }
}

const requestsOf = ({ oauth }: Registration, sending: Sending, signal: AbortSignal): Requests => ({
  [oauth.customFetch]: (url: string, request: OutboundRequest) => sendOnce(sending, url, request, signal),
  // `isCrmEndpoint` decides which addresses may be called without TLS.
  [oauth.allowInsecureRequests]: true
})

const tokensOf = (answer: OAuth.TokenEndpointResponse): CrmTokens => {
  const { access_token, expires_in, refresh_token, scope, token_type } = answer
  return {
    accessToken: Redacted.make(access_token),
    ...(refresh_token === undefined ? {} : { refreshToken: Redacted.make(refresh_token) }),
    tokenType: token_type,
    ...(expires_in === undefined ? {} : { expiresInSeconds: expires_in }),
    ...(scope === undefined ? {} : { scope })
  }
}

/**
 * An OAuth 2.0 provider (authorization code, refresh, revocation). Sends no request before its first call. Throws a
 * `TypeError` if an endpoint is neither https nor on this machine, or if the client secret is missing.
 */
export const makeOAuthCrmProvider = (options: OAuthCrmOptions): CrmProvider => new OAuthCrmProvider(options)
