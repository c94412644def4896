import { Effect, Redacted, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { CrmProvider } from "../../crm/CrmProvider.ts"

/** A provider, and functions that control its behaviour. */
export interface StagedCrm {
  readonly provider: CrmProvider
  /** Approves on the provider's page; returns the query with which the browser returns. */
  readonly approve: (url: URL) => Effect.Effect<URLSearchParams>
  /** The number of calls of the token endpoint. */
  readonly tokenCalls: Effect.Effect<number>
  /**
   * Sets the answer to the next call of the token endpoint. `lost`: the call is carried out, but its answer does not
   * arrive.
   */
  readonly failNext: (fault: "unavailable" | "lost" | "garbage") => Effect.Effect<void>
  /** True if a refresh uses up the refresh token and returns a new one. */
  readonly rotates: boolean
}

const REDIRECT_URI = "http://localhost:3000/api/crm/provider_one/callback"

/** Tests the guarantees of a `CrmProvider`. `stage` is opened for each test, and closed after it. */
export const crmProviderContract = (name: string, stage: Effect.Effect<StagedCrm, never, Scope.Scope>): void => {
  const run = (work: (staged: StagedCrm) => Effect.Effect<void, unknown>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(stage, work)))

  const begun = ({ approve, provider }: StagedCrm) =>
    Effect.gen(function* () {
      const state = crypto.randomUUID()
      const verifier = `${crypto.randomUUID()}${crypto.randomUUID()}`
      const input = { redirectUri: REDIRECT_URI, state, ...(provider.usesPkce ? { codeVerifier: verifier } : {}) }
      const url = yield* provider.authorizationUrl(input)
      return { input, state, url, verifier, callback: yield* approve(url) }
    })

  const connected = (staged: StagedCrm) =>
    Effect.gen(function* () {
      const { callback, input } = yield* begun(staged)
      return yield* staged.provider.exchange({ ...input, callback })
    })

  describe(`CrmProvider: ${name}`, () => {
    it("the address carries the state, the redirect address and, with PKCE, the S256 challenge and never the verifier", () =>
      run((staged) =>
        Effect.gen(function* () {
          const { state, url, verifier } = yield* begun(staged)
          expect(url.searchParams.get("response_type")).toBe("code")
          expect(url.searchParams.get("state")).toBe(state)
          expect(url.searchParams.get("redirect_uri")).toBe(REDIRECT_URI)
          expect(url.searchParams.get("code_challenge_method")).toBe(staged.provider.usesPkce ? "S256" : null)
          expect(url.searchParams.has("code_challenge")).toBe(staged.provider.usesPkce)
          expect(url.href).not.toContain(verifier)
          expect(yield* staged.tokenCalls).toBe(0)
        })
      ))

    it("a code is exchanged by one call, and once", () =>
      run((staged) =>
        Effect.gen(function* () {
          const { callback, input } = yield* begun(staged)
          const tokens = yield* staged.provider.exchange({ ...input, callback })
          expect(Redacted.value(tokens.accessToken)).not.toBe("")
          expect(yield* staged.tokenCalls).toBe(1)
          expect(yield* Effect.flip(staged.provider.exchange({ ...input, callback }))).toMatchObject({
            _tag: "CrmRefused",
            operation: "exchange",
            reason: "grant"
          })
        })
      ))

    it("a verifier that is not that of the address opens nothing", () =>
      run((staged) =>
        Effect.gen(function* () {
          if (!staged.provider.usesPkce) return
          const { callback, input } = yield* begun(staged)
          const codeVerifier = `${crypto.randomUUID()}${crypto.randomUUID()}`
          expect(yield* Effect.flip(staged.provider.exchange({ ...input, callback, codeVerifier }))).toMatchObject({
            _tag: "CrmRefused"
          })
        })
      ))

    it("a refresh returns another access token by one call; a token that the provider does not know is refused as the grant", () =>
      run((staged) =>
        Effect.gen(function* () {
          const { accessToken, refreshToken } = yield* connected(staged)
          if (refreshToken === undefined) throw new Error("the provider gave no refresh token")
          const before = yield* staged.tokenCalls
          const next = yield* staged.provider.refresh(refreshToken)
          expect((yield* staged.tokenCalls) - before).toBe(1)
          expect(Redacted.value(next.accessToken)).not.toBe(Redacted.value(accessToken))
          expect(next.refreshToken !== undefined).toBe(staged.rotates)
          expect(yield* Effect.flip(staged.provider.refresh(Redacted.make("nobody's")))).toMatchObject({
            _tag: "CrmRefused",
            operation: "refresh",
            reason: "grant"
          })
        })
      ))

    it("a request that the provider did not accept may be sent again; a lost or garbled answer is named", () =>
      run((staged) =>
        Effect.gen(function* () {
          const { refreshToken } = yield* connected(staged)
          if (refreshToken === undefined) throw new Error("the provider gave no refresh token")
          yield* staged.failNext("unavailable")
          const before = yield* staged.tokenCalls
          expect(yield* Effect.flip(staged.provider.refresh(refreshToken))).toMatchObject({ _tag: "CrmUnavailable" })
          expect((yield* staged.tokenCalls) - before).toBeLessThanOrEqual(1)
          yield* staged.provider.refresh(refreshToken)
          for (const fault of ["lost", "garbage"] as const) {
            const again = yield* connected(staged)
            yield* staged.failNext(fault)
            expect(yield* Effect.flip(staged.provider.refresh(again.refreshToken ?? refreshToken))).toMatchObject({
              _tag: "CrmAnswerLost"
            })
          }
        })
      ))

    it("tokens that are taken back refresh no more", () =>
      run((staged) =>
        Effect.gen(function* () {
          const tokens = yield* connected(staged)
          if ((yield* staged.provider.revoke(tokens)) === "unsupported") return
          const refreshed = staged.provider.refresh(tokens.refreshToken ?? tokens.accessToken)
          expect(yield* Effect.flip(refreshed)).toMatchObject({ _tag: "CrmRefused", reason: "grant" })
        })
      ))
  })
}
