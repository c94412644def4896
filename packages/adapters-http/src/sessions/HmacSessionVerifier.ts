import { type Session, SessionInvalid, SessionVerifier, UserId } from "@parley/core"
import { Clock, Effect, Layer, Schema } from "effect"
import type { JWTPayload } from "jose"
import { JWTClaimValidationFailed, JWTExpired } from "jose/errors"
import { jwtVerify } from "jose/jwt/verify"
import { makeVerifiedTokens } from "./verifiedTokens.ts"

export interface HmacSessionVerifierOptions {
  /** Shared with the identity provider; a text counts as its UTF-8 bytes. RFC 7518 wants 32 bytes or more. */
  readonly secret: string | Uint8Array
  /** Where set, tokens of another issuer (`iss`) are refused. */
  readonly issuer?: string | undefined
  /** Where set, tokens for another audience (`aud`) are refused. */
  readonly audience?: string | undefined
}

/** The one algorithm taken, whatever a token's header says. */
const ALGORITHMS = ["HS256"]
const HMAC = { name: "HMAC", hash: "SHA-256" }

const isUserId = Schema.is(UserId)

/** Takes the options; gives a verifier of JWTs signed with HS256. Throws where the secret is empty. */
const make = (options: HmacSessionVerifierOptions): SessionVerifier["Service"] => {
  const secret = typeof options.secret === "string" ? new TextEncoder().encode(options.secret) : options.secret
  if (secret.byteLength === 0) throw new TypeError("The session secret is empty.")
  const { issuer, audience } = options
  // Imported once: given the bytes, every verification would import them again.
  const importing = crypto.subtle.importKey("raw", Uint8Array.from(secret), HMAC, false, ["verify"])
  const expected = {
    algorithms: ALGORITHMS,
    requiredClaims: ["sub", "exp"],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience })
  }
  const verified = makeVerifiedTokens()
  const verify = Effect.fn("HmacSessionVerifier.verify")(function* (token: string, now: number) {
    const { payload } = yield* Effect.tryPromise({
      try: async () => jwtVerify(token, await importing, { ...expected, currentDate: new Date(now) }),
      catch: refusalOf
    })
    const session = yield* sessionFrom(payload)
    verified.add(token, { session, at: now })
    return session
  })
  return SessionVerifier.of({
    verify: (token) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const session = verified.find(token, now)
        return session === undefined ? verify(token, now) : Effect.succeed(session)
      })
  })
}

/** Claims are checked after the signature: a token that fails by them alone is known to be its user's. */
const refusalOf = (error: unknown): SessionInvalid => {
  const claims = error instanceof JWTExpired || error instanceof JWTClaimValidationFailed
  const userId = claims ? error.payload.sub : undefined
  const problem = error instanceof JWTExpired ? "expired" : "refused"
  return new SessionInvalid({ problem, ...(isUserId(userId) ? { userId } : {}) })
}

/** The session that a verified token's claims describe. */
const sessionFrom = ({ email, exp, sub }: JWTPayload): Effect.Effect<Session, SessionInvalid> =>
  isUserId(sub) && exp !== undefined
    ? Effect.succeed({
        userId: sub,
        email: typeof email === "string" ? email : undefined,
        expiresAt: exp * 1000
      })
    : Effect.fail(new SessionInvalid({ problem: "refused" }))

/** Session tokens signed with a shared secret. */
export const HmacSessionVerifier = {
  make,
  layer: (options: HmacSessionVerifierOptions) => Layer.sync(SessionVerifier, () => make(options))
}
