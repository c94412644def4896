import { type Session, SessionInvalid, SessionVerifier, type SessionVerifierUnavailable } from "@parley/core/adapter"
import { Clock, Effect, Layer } from "effect"
import type { JWTPayload, ProtectedHeaderParameters } from "jose"
import { decodeProtectedHeader } from "jose/decode/protected_header"
import { JWKSNoMatchingKey, JWSSignatureVerificationFailed } from "jose/errors"
import { decodeJwt } from "jose/jwt/decode"
import { type HeldKeys, KeyHolder } from "./KeyHolder.ts"
import { fetchProviderKeys, type KeySource } from "./providerKeys.ts"
import { CLOCK_LEEWAY_SECONDS, type ExpectedClaims } from "./sessionClaims.ts"
import { isTooLarge, judgeToken, refusalOf } from "./sessionTokens.ts"

/** The identity provider, and the tokens that are accepted. One of `jwksUrl` and `issuer` is required. */
export interface JwksSessionVerifierOptions extends KeySource, ExpectedClaims {
  /**
   * The provider's exact issuer (`iss`): tokens of another issuer are refused. If `jwksUrl` is missing, the provider's
   * discovery document is read below this address (OpenID Connect Discovery).
   */
  readonly issuer?: string | undefined
}

/** Only algorithms with public keys, so that a token signed with a shared secret is always refused. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA", "Ed25519"]

/** A parsed token with an accepted algorithm. */
interface ReadToken {
  readonly token: string
  readonly header: ProtectedHeaderParameters
  readonly payload: JWTPayload
}

/** The time at which a token came, in Unix milliseconds, and the number of key fetches that had begun before. */
interface Arrival {
  readonly now: number
  readonly fetchesBefore: number
}

/** Parses a token; returns undefined if no key could verify it. */
const readToken = (token: string): ReadToken | undefined => {
  if (isTooLarge(token)) return undefined
  try {
    const header = decodeProtectedHeader(token)
    return ALGORITHMS.includes(header.alg ?? "") ? { token, header, payload: decodeJwt(token) } : undefined
  } catch {
    return undefined
  }
}

/** True if a key that is not fetched yet could verify the token. A token without `kid` may belong to any key. */
const isOfUnknownKey = (error: unknown, { header }: ReadToken): boolean =>
  error instanceof JWKSNoMatchingKey || (error instanceof JWSSignatureVerificationFailed && header.kid === undefined)

/**
 * Takes the options; returns a verifier of JWTs signed with the keys of an identity provider. Throws if no provider is
 * named.
 */
const make = (options: JwksSessionVerifierOptions): SessionVerifier["Service"] => {
  const { jwksUrl: _jwksUrl, ...expected } = options
  const { issuer } = expected
  const holder = new KeyHolder(fetchProviderKeys(options))

  /** True if a token is refused even with a valid signature, so that no key is fetched for it. */
  const isHopeless = ({ payload: { exp = 0, iss } }: ReadToken, now: number): boolean =>
    (exp + CLOCK_LEEWAY_SECONDS) * 1000 <= now || (issuer !== undefined && iss !== issuer)

  const judge = (
    read: ReadToken,
    held: HeldKeys,
    { fetchesBefore, now }: Arrival
  ): Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable> => {
    const { payload, token } = read
    const by = { ...expected, keyOf: held.keys.keyOf, algorithms: ALGORITHMS }
    return Effect.tryPromise({ try: () => judgeToken(token, now, by), catch: (error) => ({ error }) }).pipe(
      Effect.tap((session) => Effect.sync(() => held.verified.add(token, { session, at: now }))),
      Effect.catch(({ error }) => {
        const refusal = Effect.fail(refusalOf(error))
        if (!isOfUnknownKey(error, read) || isHopeless(read, now)) return refusal
        // `iat` is in whole seconds, so the token may have been issued up to one second later.
        const issuedAt = ((payload.iat ?? 0) + 1) * 1000
        return Effect.flatMap(holder.after(held, { fetchesBefore, issuedAt }), (newer) =>
          newer === undefined ? refusal : judge(read, newer, { fetchesBefore, now })
        )
      })
    )
  }

  return SessionVerifier.of({
    verify: Effect.fn("JwksSessionVerifier.verify")(function* (token) {
      const now = yield* Clock.currentTimeMillis
      const fetchesBefore = holder.fetches
      // Before the first fetch, no keys are fetched for a token that no key could verify.
      if (!holder.hasKeys && readToken(token) === undefined) return yield* new SessionInvalid({ problem: "refused" })
      const held = yield* holder.current()
      const known = held.verified.find(token, now)
      if (known !== undefined) return known
      const read = readToken(token)
      if (read === undefined) return yield* new SessionInvalid({ problem: "refused" })
      return yield* judge(read, held, { fetchesBefore, now })
    })
  })
}

/**
 * Verifies session tokens with keys that are fetched from an identity provider: RS256, ES256 and EdDSA, also named
 * Ed25519.
 */
export const JwksSessionVerifier = {
  make,
  layer: (options: JwksSessionVerifierOptions) => Layer.sync(SessionVerifier, () => make(options))
}
