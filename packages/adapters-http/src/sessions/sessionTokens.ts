import { type Session, SessionInvalid } from "@parley/core/adapter"
import { UserId } from "@parley/core"
import { isMoment } from "@parley/core/adapter"
import { Schema } from "effect"
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose"
import {
  JWKSMultipleMatchingKeys,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired
} from "jose/errors"
import { jwtVerify } from "jose/jwt/verify"

/** The required claims of a token, if they are configured. */
export interface ExpectedClaims {
  /** If set, tokens of another issuer (`iss`) are refused. */
  readonly issuer?: string | undefined
  /** If set, tokens for another audience (`aud`) are refused. */
  readonly audience?: string | undefined
}

/** The rules by which a verifier checks tokens. */
export interface JudgedBy extends ExpectedClaims {
  /** Finds the key of a token by its header. */
  readonly keyOf: JWTVerifyGetKey
  /** The accepted algorithms, independent of a token's header. */
  readonly algorithms: ReadonlyArray<string>
}

const isUserId = Schema.is(UserId)

/**
 * The session that a token proves at `now` (Unix milliseconds). Rejects with the error of `jose`, or with
 * `SessionInvalid` if the signature is valid and the claims describe no session.
 */
export const judgeToken = async (token: string, now: number, by: JudgedBy): Promise<Session> => {
  const { algorithms, audience, issuer, keyOf } = by
  const claims = await verifiedClaims(token, keyOf, {
    algorithms: [...algorithms],
    requiredClaims: ["sub", "exp"],
    currentDate: new Date(now),
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience })
  })
  return sessionFrom(claims)
}

/** Claims are checked after the signature: a token that fails by them alone is known to be its user's. */
const isOfClaims = (error: unknown): error is JWTExpired | JWTClaimValidationFailed =>
  error instanceof JWTExpired || error instanceof JWTClaimValidationFailed

/** The claims of a token that one of the keys verifies. A token without `kid` may match several keys of a provider. */
const verifiedClaims = async (
  token: string,
  keyOf: JWTVerifyGetKey,
  options: JWTVerifyOptions
): Promise<JWTPayload> => {
  try {
    return (await jwtVerify(token, keyOf, options)).payload
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (refusal) {
        if (isOfClaims(refusal)) throw refusal
      }
    }
    throw new JWSSignatureVerificationFailed()
  }
}

/** The session that a verified token's claims describe. */
const sessionFrom = ({ email, exp = Number.NaN, sub }: JWTPayload): Session => {
  const expiresAt = exp * 1000
  if (!isUserId(sub) || !isMoment(expiresAt)) throw new SessionInvalid({ problem: "refused" })
  return { userId: sub, email: typeof email === "string" ? email : undefined, expiresAt }
}

/** The refusal that an error of `judgeToken` means. */
export const refusalOf = (error: unknown): SessionInvalid => {
  if (error instanceof SessionInvalid) return error
  const userId = isOfClaims(error) ? error.payload.sub : undefined
  const problem = error instanceof JWTExpired ? "expired" : "refused"
  return new SessionInvalid({ problem, ...(isUserId(userId) ? { userId } : {}) })
}

/** A few hundred bytes each. */
const MOST_TOKENS = 10_000
/** Tokens are shorter; longer ones are verified each time. */
const LONGEST_TOKEN = 2_048

interface Verified {
  readonly session: Session
  /** When it was verified, in Unix milliseconds. */
  readonly at: number
}

/** Tokens whose signature and claims one verifier has accepted. */
export interface VerifiedTokens {
  /** The session of a token that was found good and is so at `now` (Unix milliseconds). */
  find(token: string, now: number): Session | undefined
  add(token: string, verified: Verified): void
}

/**
 * Caches accepted tokens until they expire, the newest of them: verifying a signature in another thread costs a
 * request more than all other checks of its head. An accepted token stays valid until it expires, unless the clock is
 * set back.
 */
export const makeVerifiedTokens = (): VerifiedTokens => {
  const tokens = new Map<string, Verified>()
  return {
    find: (token, now) => {
      const known = tokens.get(token)
      if (known === undefined) return undefined
      if (now < known.session.expiresAt) return now < known.at ? undefined : known.session
      tokens.delete(token)
      return undefined
    },
    add: (token, verified) => {
      if (token.length > LONGEST_TOKEN) return
      if (tokens.size >= MOST_TOKENS) tokens.delete(tokens.keys().next().value as string)
      tokens.set(token, verified)
    }
  }
}
