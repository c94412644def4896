import {
  type Session,
  SessionInvalid,
  type SessionVerifier,
  SessionVerifierUnavailable,
  type SignOut
} from "@parley/core"
import { Effect } from "effect"
import { candidateTokens, type SessionCookie } from "../sessions/sessionCookie.ts"

/** A browser holds one cookie of a name for each path and domain: more than this are no browser's. */
const MAX_TOKENS = 4

/** A session with the token that proves it. */
export interface ProvenSession extends Session {
  readonly token: string
}

/** A verifier that refuses what was signed out. Where that is not known nobody is let in. */
const verifyUnrevoked = Effect.fnUntraced(function* (
  verifier: SessionVerifier["Service"],
  { isSignedOut }: SignOut["Service"],
  token: string
) {
  const session = yield* verifier.verify(token)
  const isOver = yield* Effect.catchTag(isSignedOut(token), "StorageFailed", (cause) =>
    Effect.fail(new SessionVerifierUnavailable({ cause }))
  )
  if (isOver) return yield* new SessionInvalid({ problem: "signed-out", userId: session.userId })
  return { ...session, token }
})

/**
 * The session that the tokens of a Cookie header prove. Several different ones that are all valid prove none: one of
 * them may have been planted, and it is unknown which.
 */
export const authenticate = Effect.fnUntraced(function* (
  verifier: SessionVerifier["Service"],
  signOut: SignOut["Service"],
  cookie: SessionCookie,
  header: string | undefined
): Effect.fn.Return<ProvenSession, SessionInvalid | SessionVerifierUnavailable> {
  const tokens = candidateTokens(header, cookie)
  if (tokens.length === 0) return yield* new SessionInvalid({ problem: "missing" })
  if (tokens.length > MAX_TOKENS) return yield* new SessionInvalid({ problem: "ambiguous" })
  const sessions: Array<ProvenSession> = []
  const refusals: Array<SessionInvalid> = []
  for (const token of tokens) {
    const judged = yield* Effect.catchTag(verifyUnrevoked(verifier, signOut, token), "SessionInvalid", (refusal) =>
      Effect.sync(() => void refusals.push(refusal))
    )
    if (judged !== undefined) sessions.push(judged)
  }
  const [session, ...others] = sessions
  if (others.length > 0) return yield* new SessionInvalid({ problem: "ambiguous" })
  if (session !== undefined) return session
  const known = refusals.find(({ userId }) => userId !== undefined)
  return yield* known ?? new SessionInvalid({ problem: "refused" })
})
