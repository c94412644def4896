import { Context, type Effect, Schema } from "effect"
import type { UserId } from "./UserId.ts"

/** The roles of operators: an owner may do everything, support reads. */
export const OPERATOR_ROLES = ["owner", "support"] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** The person of a request, as proven by a session token. */
export interface Session {
  readonly userId: UserId
  readonly email: string | undefined
  /** The name that people see, if the token contains one. */
  readonly name?: string | undefined
  /** The person's role as an operator, if the signed token names one. */
  readonly role?: OperatorRole | undefined
  /**
   * When the token was issued, in Unix milliseconds; undefined if it does not say so, and such a token is refused after
   * the person was signed out everywhere.
   */
  readonly issuedAt?: number | undefined
  /** When the person proved who they are, in Unix milliseconds; undefined if the token does not say so. */
  readonly signedInAt?: number | undefined
  /** Unix time in milliseconds after which the token no longer counts. */
  readonly expiresAt: number
}

/** The problems of a session: `ambiguous` means several different valid ones, `signed-out` one that was ended. */
export const SESSION_PROBLEMS = ["missing", "refused", "expired", "ambiguous", "signed-out"] as const

/** No token, or one that is forged, expired or for another audience. `problem` and `userId` are for logs only. */
export class SessionInvalid extends Schema.TaggedError<SessionInvalid>()("SessionInvalid", {
  problem: Schema.Literals(SESSION_PROBLEMS),
  /** The person in the token, if its issuer signed it. */
  userId: Schema.optionalKey(Schema.String)
}) {
  readonly code = "unauthorized"
  override get message() {
    return "You are not signed in, or your session has ended. Sign in and try again."
  }
}

/** The identity provider's keys cannot be fetched, so that no token can be judged. */
export class SessionVerifierUnavailable extends Schema.TaggedError<SessionVerifierUnavailable>()(
  "SessionVerifierUnavailable",
  {
    /** The wait before the next try in milliseconds, if it is known. */
    retryAfterMs: Schema.optionalKey(Schema.Finite),
    cause: Schema.Defect()
  }
) {
  readonly code = "identity_unavailable"
  override get message() {
    return "The identity provider cannot be reached; try again in a moment."
  }
}

/** Checks session tokens issued by an identity provider. */
export class SessionVerifier extends Context.Service<
  SessionVerifier,
  {
    /**
     * Verifies the bare token (a JWT) and returns its session. A token without expiry is refused, because it could not
     * be revoked.
     */
    verify(token: string): Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable>
  }
>()("@parley/core/identity/SessionVerifier") {}
