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
  /** Finds the key that verifies a token, by the token's header. */
  readonly keyOf: JWTVerifyGetKey
  /** The accepted algorithms. The header of a token does not choose among others. */
  readonly algorithms: ReadonlyArray<string>
}

/** Longest accepted token in characters: no provider's tokens are longer, and larger headers do not reach a server. */
const LONGEST_TOKEN = 16_384

/** True for a text that is refused without parsing, because it is too long for a token. */
export const isTooLarge = (token: string): boolean => token.length > LONGEST_TOKEN

/**
 * Returns the name of a session: the signed part of its token. The signature is left out because it has several valid
 * texts: base64 has unused bits, and beside an ECDSA signature (r, s) also (r, -s) is valid. A text that is no JWT is
 * its own name.
 */
export const sessionNameOf = (token: string): string => {
  const [header, claims, ...signature] = token.split(".")
  return signature.length === 1 ? `${header}.${claims}` : token
}

/**
 * Returns the session that a token proves at `now` (Unix milliseconds). Rejects with an error of `jose`, or with
 * `SessionInvalid` if the signature is valid but the claims describe no session.
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

/**
 * True if only the claims of a token failed. They are checked after the signature, so the token is known to be its
 * user's.
 */
const isOfClaims = (error: unknown): error is JWTExpired | JWTClaimValidationFailed =>
  error instanceof JWTExpired || error instanceof JWTClaimValidationFailed

/** Returns the claims if a key verifies the token. A token without `kid` may match several keys of a provider. */
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

/** Converts an error of `judgeToken` to the refusal of the session. */
export const refusalOf = (error: unknown): SessionInvalid => {
  if (error instanceof SessionInvalid) return error
  const userId = isOfClaims(error) ? error.payload.sub : undefined
  const problem = error instanceof JWTExpired ? "expired" : "refused"
  return new SessionInvalid({ problem, ...(isUserId(userId) ? { userId } : {}) })
}

/** The largest number of cached tokens; each takes a few hundred bytes. */
const MOST_TOKENS = 10_000
/** Longest cached token in characters. Tokens are usually shorter; longer ones are verified each time. */
const LONGEST_KEPT = 2_048

interface Verified {
  readonly session: Session
  /** The time of the verification in Unix milliseconds. */
  readonly at: number
}

/** The tokens whose signature and claims a verifier has accepted. */
export interface VerifiedTokens {
  /** Returns the session of an accepted token if it is still valid at `now` (Unix milliseconds). */
  find(token: string, now: number): Session | undefined
  add(token: string, verified: Verified): void
}

/**
 * Caches the newest accepted tokens until they expire, leeway included: verifying a signature in another thread costs
 * more than all other checks of a request's head. An accepted token stays valid until it expires, unless the clock is
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

/**
 * Makes a verifier that calls `judge` once for each token until the token expires. `judge` gets the token and the time
 * in Unix milliseconds.
 */
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
