import { SessionInvalid, type SessionVerifier, SessionVerifierUnavailable } from "@parley/core/adapter"
import type { SignOut } from "@parley/core/effect"
import type { UserId } from "@parley/core"
import { Effect } from "effect"
import { candidateTokens, MOST_CANDIDATES } from "../sessions/cookieTokens.ts"
import type { SessionCookie } from "../sessions/sessionCookie.ts"

/** A proven person. */
export interface Person {
  readonly userId: UserId
  readonly email: string | undefined
  /** Unix time in milliseconds after which the proof expires, if it is known. */
  readonly expiresAt: number | undefined
  /** The token that proves it; undefined if the host's sign-in did. */
  readonly token: string | undefined
}

/** A person with the token of a session. */
export interface ProvenSession extends Person {
  readonly expiresAt: number
  readonly token: string
}

/** The places of a request that may carry tokens, unparsed. */
export interface SentTokens {
  readonly cookie: string | undefined
  /** Undefined also if bearer tokens are disabled. */
  readonly authorization: string | undefined
}

/** No person is proven. */
export const unproven = (problem: SessionInvalid["problem"]): SessionInvalid => new SessionInvalid({ problem })

/**
 * The token of an `Authorization` header (RFC 6750, 2.1): empty if the header has the scheme but no token; undefined
 * for another scheme.
 */
const bearerOf = (header: string | undefined): string | undefined => {
  const sent = /^bearer(?: +(.*))?$/is.exec(header ?? "")
  if (sent === null) return undefined
  return /^[\w.~+/-]+=*$/.exec(sent[1]?.trim() ?? "")?.[0] ?? ""
}

/** A verifier that refuses signed-out sessions. If their list is unknown, it refuses every session. */
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
 * The session that a bearer token proves, otherwise the one in the Cookie header. The author of the request set the
 * bearer token, so only it counts if it is there: a cookie does not replace an invalid one. Several different valid
 * cookies prove no session, because one of them may have been planted.
 */
export const authenticate = Effect.fnUntraced(function* (
  verifier: SessionVerifier["Service"],
  signOut: SignOut["Service"],
  cookie: SessionCookie,
  sent: SentTokens
): Effect.fn.Return<ProvenSession, SessionInvalid | SessionVerifierUnavailable> {
  const bearer = bearerOf(sent.authorization)
  if (bearer === "") return yield* unproven("refused")
  if (bearer !== undefined) return yield* verifyUnrevoked(verifier, signOut, bearer)
  const tokens = candidateTokens(sent.cookie, cookie)
  if (tokens.length === 0) return yield* unproven("missing")
  if (tokens.length > MOST_CANDIDATES) return yield* unproven("ambiguous")
  const sessions: Array<ProvenSession> = []
  const refusals: Array<SessionInvalid> = []
  for (const token of tokens) {
    const judged = yield* Effect.catchTag(verifyUnrevoked(verifier, signOut, token), "SessionInvalid", (refusal) =>
      Effect.sync(() => void refusals.push(refusal))
    )
    if (judged !== undefined) sessions.push(judged)
  }
  const [session, ...others] = sessions
  if (others.length > 0) return yield* unproven("ambiguous")
  if (session !== undefined) return session
  const known = refusals.find(({ userId }) => userId !== undefined)
  return yield* known ?? unproven("refused")
})
