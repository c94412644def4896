import { Context, type Effect, Schema } from "effect"
import type { UserId } from "./UserId.ts"

/** The roles of operators: `owner` may do everything, `support` may only read. */
export const OPERATOR_ROLES = ["owner", "support"] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** The person of a request, as proved by a session token. */
export interface Session {
  readonly userId: UserId
  readonly email: string | undefined
  /** The display name, if the token contains one. */
  readonly name?: string | undefined
  /** The person's role as an operator, if the signed token contains one. */
  readonly role?: OperatorRole | undefined
  /**
   * Unix milliseconds: the time at which the token was issued; undefined if the token does not contain it. Such a token
   * is refused after the person was signed out everywhere.
   */
  readonly issuedAt?: number | undefined
  /** Unix milliseconds: the time at which the person authenticated; undefined if the token does not contain it. */
  readonly signedInAt?: number | undefined
  /** Unix milliseconds: the token is not valid after this time. */
  readonly expiresAt: number
}

/**
 * The problems of a session. `ambiguous`: the request has several different valid sessions; `signed-out`: the session
 * was ended.
 */
export const SESSION_PROBLEMS = ["missing", "refused", "expired", "ambiguous", "signed-out"] as const

/**
 * The request has no token, or one that is forged, expired or for another audience. `problem` and `userId` are only for
 * logs.
 */
export class SessionInvalid extends Schema.TaggedError<SessionInvalid>()("SessionInvalid", {
  problem: Schema.Literals(SESSION_PROBLEMS),
  /** The person in the token, if the token's signature is valid. */
  userId: Schema.optionalKey(Schema.String)
}) {
  readonly code = "unauthorized"
  override get message() {
    return "You are not signed in, or your session has ended. Sign in and try again."
  }
}

/** The identity provider's keys cannot be fetched, so no token can be verified. */
export class SessionVerifierUnavailable extends Schema.TaggedError<SessionVerifierUnavailable>()(
  "SessionVerifierUnavailable",
  {
    /** Milliseconds until a retry, if they are known. */
    retryAfterMs: Schema.optionalKey(Schema.Finite),
    cause: Schema.Defect()
  }
) {
  readonly code = "identity_unavailable"
  override get message() {
    return "The identity provider cannot be reached; try again in a moment."
  }
}

/** Verifies session tokens of an identity provider. */
export class SessionVerifier extends Context.Service<
  SessionVerifier,
  {
    /**
     * Verifies a token (a JWT, without a prefix) and returns its session. A token without an expiry is refused, because
     * it could not be revoked.
     */
    verify(token: string): Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable>
  }
>()("@parley/core/identity/SessionVerifier") {}
