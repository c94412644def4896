import { type Session, SessionInvalid, SessionVerifier } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import type { JWTVerifyGetKey, JWTVerifyOptions } from "jose"
import {
  JWKSMultipleMatchingKeys,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired
} from "jose/errors"
import { jwtVerify } from "jose/jwt/verify"
import {
  CLOCK_LEEWAY_SECONDS,
  type ExpectedClaims,
  isUserId,
  sessionFrom,
  type VerifiedToken
} from "./sessionClaims.ts"

/** The rules by which a verifier checks tokens. */
export interface JudgedBy extends ExpectedClaims {
  /** Finds the key of a token by its header. */
  readonly keyOf: JWTVerifyGetKey
  /** The accepted algorithms, independent of a token's header. */
  readonly algorithms: ReadonlyArray<string>
}

/** No provider's tokens are longer; cookies and headers of this size do not reach a server. */
const LONGEST_TOKEN = 16_384

/** True for a text that is refused unread. */
export const isTooLarge = (token: string): boolean => token.length > LONGEST_TOKEN

/**
 * Names a session by the signed part of its token. The signature has several valid texts: base64 has bits that no byte
 * uses, and beside an ECDSA signature (r, s) also (r, -s) is valid. A token that is no JWT names itself.
 */
export const sessionNameOf = (token: string): string => {
  const [header, claims, ...signature] = token.split(".")
  return signature.length === 1 ? `${header}.${claims}` : token
}

/**
 * The session that a token proves at `now` (Unix milliseconds). Rejects with the error of `jose`, or with
 * `SessionInvalid` if the signature is valid and the claims describe no session.
 */
export const judgeToken = async (token: string, now: number, by: JudgedBy): Promise<Session> => {
  if (isTooLarge(token)) throw new SessionInvalid({ problem: "refused" })
  const { algorithms, issuer, keyOf } = by
  const verified = await verifiedToken(token, keyOf, {
    algorithms: [...algorithms],
    requiredClaims: ["exp"],
    currentDate: new Date(now),
    clockTolerance: CLOCK_LEEWAY_SECONDS,
    ...(issuer === undefined ? {} : { issuer })
  })
  return sessionFrom(verified, now, by)
}

/** Claims are checked after the signature: a token that fails by them alone is known to be its user's. */
const isOfClaims = (error: unknown): error is JWTExpired | JWTClaimValidationFailed =>
  error instanceof JWTExpired || error instanceof JWTClaimValidationFailed

/** The token, if one of the keys verifies it. A token without `kid` may match several keys of a provider. */
const verifiedToken = async (
  token: string,
  keyOf: JWTVerifyGetKey,
  options: JWTVerifyOptions
): Promise<VerifiedToken> => {
  try {
    const { payload: claims, protectedHeader: header } = await jwtVerify(token, keyOf, options)
    return { claims, header }
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        const { payload: claims, protectedHeader: header } = await jwtVerify(token, key, options)
        return { claims, header }
      } catch (refusal) {
        if (isOfClaims(refusal)) throw refusal
      }
    }
    throw new JWSSignatureVerificationFailed()
  }
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
const LONGEST_KEPT = 2_048

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
 * Caches accepted tokens until they expire, leeway included, the newest of them: verifying a signature in another thread costs a
 * request more than all other checks of its head. An accepted token stays valid until it expires, unless the clock is
 * set back.
 */
export const makeVerifiedTokens = (): VerifiedTokens => {
  const tokens = new Map<string, Verified>()
  return {
    find: (token, now) => {
      const known = tokens.get(token)
      if (known === undefined) return undefined
      const endsAt = known.session.expiresAt + CLOCK_LEEWAY_SECONDS * 1000
      if (now < endsAt) return now < known.at ? undefined : known.session
      tokens.delete(token)
      return undefined
    },
    add: (token, verified) => {
      if (token.length > LONGEST_KEPT) return
      if (tokens.size >= MOST_TOKENS) tokens.delete(tokens.keys().next().value as string)
      tokens.set(token, verified)
    }
  }
}

/** A verifier that judges each token once, until it expires: `judge` gets it with the time in Unix milliseconds. */
export const verifierBy = (judge: (token: string, now: number) => Promise<Session>): SessionVerifier["Service"] => {
  const verified = makeVerifiedTokens()
  const verify = Effect.fn("SessionVerifier.verify")(function* (token: string, now: number) {
    const session = yield* Effect.tryPromise({ try: () => judge(token, now), catch: refusalOf })
    verified.add(token, { session, at: now })
    return session
  })
  return SessionVerifier.of({
    verify: (token) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const known = verified.find(token, now)
        return known === undefined ? verify(token, now) : Effect.succeed(known)
      })
  })
}
