import { type Session, SessionInvalid, type SessionVerifier, type SessionVerifierUnavailable } from "@parley/core"
import { Effect } from "effect"
import { candidateTokens, type SessionCookie } from "./sessionCookie.ts"

/** The first valid session among the tokens of a Cookie header. */
export const authenticate = (
  verifier: SessionVerifier["Service"],
  cookie: SessionCookie,
  header: string | undefined
): Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable> =>
  candidateTokens(header, cookie).reduceRight<Effect.Effect<Session, SessionInvalid | SessionVerifierUnavailable>>(
    (otherwise, token) => verifier.verify(token).pipe(Effect.catchTag("SessionInvalid", () => otherwise)),
    Effect.fail(new SessionInvalid())
  )
