import { Context, type Effect, Schema } from "effect"
import type { UserId } from "./UserId.ts"

/** Who is asking, as proven by a session token. */
export interface Session {
  readonly userId: UserId
  readonly email: string | undefined
  /** Unix time in milliseconds after which the token no longer counts. */
  readonly expiresAt: number
}

/** What is wrong with a session: `ambiguous` are several different ones that are valid, `signed-out` one that was ended. */
export const SESSION_PROBLEMS = ["missing", "refused", "expired", "ambiguous", "signed-out"] as const

/** No token, or one that is forged, expired or meant for somebody else. `problem` and `userId` are for logs alone. */
export class SessionInvalid extends Schema.TaggedError<SessionInvalid>()("SessionInvalid", {
  problem: Schema.Literals(SESSION_PROBLEMS),
  /** Whose it is, where its issuer said so. */
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
    /** Milliseconds, where it is known when to try again. */
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
     * Takes the bare token (a JWT); gives the session it proves. One that never expires proves none: it could not be
     * taken back.
     */
    verify(token: string): Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable>
  }
>()("@parley/core/identity/SessionVerifier") {}
