import { SessionInvalid, type SessionVerifier, SessionVerifierUnavailable } from "@parley/core/adapter"
import type { SignOut } from "@parley/core/effect"
import type { UserId } from "@parley/core"
import { Effect } from "effect"
import { candidateTokens, MOST_CANDIDATES } from "../sessions/cookieTokens.ts"
import type { SessionCookie } from "../sessions/sessionCookie.ts"

/** Somebody who is proven to be this person. */
export interface Person {
  readonly userId: UserId
  readonly email: string | undefined
  /** Unix time in milliseconds after which the proof counts no more, where that is known. */
  readonly expiresAt: number | undefined
  /** What proves it; undefined where the host said so. */
  readonly token: string | undefined
}

/** A person with the token of a session. */
export interface ProvenSession extends Person {
  readonly expiresAt: number
  readonly token: string
}

/** Where a request may carry tokens, as it was sent. */
export interface SentTokens {
  readonly cookie: string | undefined
  /** Undefined where bearer tokens do not count, too. */
  readonly authorization: string | undefined
}

/** Nobody is proven. */
export const unproven = (problem: SessionInvalid["problem"]): SessionInvalid => new SessionInvalid({ problem })

/** The token of an `Authorization` header (RFC 6750, 2.1): empty where it names the scheme and no token; undefined where it is of another scheme. */
const bearerOf = (header: string | undefined): string | undefined => {
  const sent = /^bearer(?: +(.*))?$/is.exec(header ?? "")
  if (sent === null) return undefined
  return /^[\w.~+/-]+=*$/.exec(sent[1]?.trim() ?? "")?.[0] ?? ""
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
 * The session that a bearer token proves, or else those of the Cookie header. A bearer token was put there by whoever
 * wrote the request, so that it alone counts where there is one: a wrong one is not made good by a cookie. Several
 * different cookies that are all valid prove none: one of them may have been planted, and it is unknown which.
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
