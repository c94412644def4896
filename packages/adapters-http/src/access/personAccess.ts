import {
  isMoment,
  OPERATOR_ROLES,
  type OperatorRole,
  SessionInvalid,
  type SessionVerifier,
  SessionVerifierUnavailable
} from "@parley/core/adapter"
import { AccessList, type Identified, SecurityEvents, type UserBlocked } from "@parley/core/effect"
import { UserId } from "@parley/core"
import { Effect, Schema } from "effect"
import type { Context } from "../exchange/Exchange.ts"
import { AuthenticateFailed } from "../problems/errors.ts"
import type { Authenticate, SignedIn } from "../server/HttpOptions.ts"
import {
  candidateTokens,
  type CookiePair,
  cookiePairs,
  MOST_CANDIDATES,
  type SessionCookie,
  sessionCookieNames
} from "../sessions/cookies.ts"
import { sessionNameOf } from "../sessions/sessionTokens.ts"
import { type Claim, defineAccess } from "./Access.ts"
import { isUnsafe, refuseCrossSite } from "./origins.ts"

/** A proven person. */
export interface Person {
  readonly userId: UserId
  readonly email: string | undefined
  readonly name?: string | undefined
  /** The role as an operator, if the proof names one. */
  readonly role?: OperatorRole | undefined
  /** Unix time in milliseconds after which the proof expires, if it is known. */
  readonly expiresAt: number | undefined
  /** The time at which the proof was issued, in Unix milliseconds, if it is known. */
  readonly issuedAt: number | undefined
  /** The time at which the person signed in, in Unix milliseconds, if it is known. */
  readonly signedInAt?: number | undefined
  /** The session's token; undefined if the host's own sign-in proved the person. */
  readonly token: string | undefined
}

/** A person with the token of a session. */
interface ProvenSession extends Person {
  readonly expiresAt: number
  readonly token: string
}

/** The request headers that may carry a session's token, unparsed. */
interface SentTokens {
  readonly cookie: string | undefined
  /** The Authorization header; undefined also if bearer tokens are disabled. */
  readonly authorization: string | undefined
}

/** The failure of a request that proves no person. */
const unproven = (problem: SessionInvalid["problem"]): SessionInvalid => new SessionInvalid({ problem })

/**
 * The token of an `Authorization` header (RFC 6750, 2.1): empty if the header has the scheme but no token; undefined
 * for another scheme.
 */
const bearerOf = (header: string | undefined): string | undefined => {
  const sent = /^bearer(?: +(.*))?$/is.exec(header ?? "")
  if (sent === null) return undefined
  return /^[\w.~+/-]+=*$/.exec(sent[1]?.trim() ?? "")?.[0] ?? ""
}

/** Refuses signed-out sessions and blocked people. If the list of both cannot be read, all people are refused. */
const admit = (accessList: AccessList["Service"], identified: Identified) =>
  Effect.catchTag(accessList.check(identified), "StorageFailed", (cause) =>
    Effect.fail(new SessionVerifierUnavailable({ cause }))
  )

/** Verifies a token, and refuses signed-out sessions and blocked people. */
const verifyAdmitted = Effect.fnUntraced(function* (
  verifier: SessionVerifier["Service"],
  accessList: AccessList["Service"],
  token: string
) {
  const session = yield* verifier.verify(token)
  yield* admit(accessList, { ...session, issuedAt: session.issuedAt, token: sessionNameOf(token) })
  return { ...session, issuedAt: session.issuedAt, token }
})

/**
 * Returns the session that the bearer token proves, or without one the session in the Cookie header. The author of the
 * request has set a bearer token on purpose, so a cookie does not replace an invalid one. Several different valid
 * cookies prove no session, because one of them may have been planted.
 */
const authenticate = Effect.fnUntraced(function* (
  verifier: SessionVerifier["Service"],
  accessList: AccessList["Service"],
  cookie: SessionCookie,
  sent: SentTokens
): Effect.fn.Return<ProvenSession, SessionInvalid | SessionVerifierUnavailable | UserBlocked> {
  const bearer = bearerOf(sent.authorization)
  if (bearer === "") return yield* unproven("refused")
  if (bearer !== undefined) return yield* verifyAdmitted(verifier, accessList, bearer)
  const tokens = candidateTokens(sent.cookie, cookie)
  if (tokens.length === 0) return yield* unproven("missing")
  if (tokens.length > MOST_CANDIDATES) return yield* unproven("ambiguous")
  const sessions: Array<ProvenSession> = []
  const refusals: Array<SessionInvalid> = []
  for (const token of tokens) {
    const judged = yield* Effect.catchTag(verifyAdmitted(verifier, accessList, token), "SessionInvalid", (refusal) =>
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

/** Returns the person of a request: from the host's own sign-in, or from the session in a bearer token or a cookie. */
const provePerson = Effect.fnUntraced(function* ({ request, server }: Context) {
  const accessList = yield* AccessList
  if (server.authenticate !== undefined) {
    const person = yield* askHost(server.authenticate, request.source)
    yield* admit(accessList, person)
    return person
  }
  const { authorization, cookie } = request.headers
  return yield* authenticate(server.sessions, accessList, server.sessionCookie, {
    cookie,
    authorization: server.bearerTokens ? authorization : undefined
  })
})

const askHost = Effect.fnUntraced(function* (ask: Authenticate<unknown>, source: unknown) {
  const answer = yield* Effect.promise(async () => {
    try {
      return await ask(source)
    } catch (cause) {
      throw new AuthenticateFailed(cause)
    }
  })
  if (answer === undefined) return yield* unproven("missing")
  return personOf(answer) ?? (yield* Effect.die(new AuthenticateFailed(new TypeError("No user id."))))
})

const isUserId = Schema.is(UserId)

/** Checks the form of the host's result. If the host names no time of issue, the proof counts as issued now. */
const personOf = (answer: SignedIn): Person | undefined => {
  const { email, expiresAt, issuedAt = Infinity, name, role, userId } = (answer ?? {}) as Partial<SignedIn>
  const areTexts = [email, name].every((text) => text === undefined || typeof text === "string")
  const areMoments = (expiresAt === undefined || isMoment(expiresAt)) && (issuedAt === Infinity || isMoment(issuedAt))
  const fits = areTexts && areMoments
  return isUserId(userId) && fits
    ? {
        userId,
        email,
        name,
        role: OPERATOR_ROLES.find((known) => known === role),
        expiresAt,
        issuedAt,
        signedInAt: issuedAt,
        token: undefined
      }
    : undefined
}

const SESSION_ERRORS = [
  "unauthorized",
  "blocked",
  "identity_unavailable",
  "too_many_failures",
  "too_many_requests"
] as const

export type SessionCode = (typeof SESSION_ERRORS)[number]

/**
 * Counts a refused token against the client's address. Missing, expired and signed-out sessions do not count, because
 * they are no attempts to guess a token.
 */
const countFailure = <A, E, R>({ request, server }: Context, proving: Effect.Effect<A, E | SessionInvalid, R>) =>
  Effect.catchIf(
    proving,
    (error) => error instanceof SessionInvalid && error.problem === "refused",
    (refusal) => server.failedTries.refuse("session", request, refusal)
  )

/** The facts about the calling person that routes get. */
export type Caller = Omit<Person, "issuedAt" | "token">

/**
 * Makes the claim of a person; `callerOf` selects the facts for the route. Cross-site writes are refused for every kind
 * of proof: the host's own sign-in may use a cookie, and only browsers send the headers that report other sites.
 */
export const personClaim = <Proven>(callerOf: (proven: Person) => Proven) =>
  Effect.fnUntraced(function* (context: Context) {
    const { request, server } = context
    const proven = yield* countFailure(context, provePerson(context))
    const { userId } = proven
    yield* SecurityEvents.use(({ see }) => see(userId))
    const entering = server.personRequests.enter(userId)
    return {
      userId,
      issuedAt: proven.issuedAt ?? -Infinity,
      admit: isUnsafe(request.method) ? Effect.andThen(entering, refuseCrossSite(request, server)) : entering,
      callerOf: () => Effect.succeed(callerOf(proven))
    }
  })

/** Leaves out the token, for routes that do not change the session. */
export const withoutToken = ({ issuedAt: _issuedAt, token: _token, ...caller }: Person): Caller => caller

/** The claim of a signed-in person. */
export const sessionClaim = personClaim(withoutToken)

/**
 * Admits all signed-in people, with a bound on the concurrent requests of one person; cross-site writes are refused.
 */
export const sessionAccess = defineAccess<Caller, unknown, SessionCode | "cross_site_request">({
  name: "session",
  description: "Callers are signed-in people.",
  scheme: (name) => ({ type: "apiKey", in: "cookie", name, description: "The session of a signed-in person." }),
  errors: (method) => (isUnsafe(method) ? [...SESSION_ERRORS, "cross_site_request"] : SESSION_ERRORS),
  isPerson: true,
  claimOf: sessionClaim
})

const OPTIONAL_ERRORS = ["blocked", "identity_unavailable", "too_many_requests"] as const

type OptionalCode = (typeof OPTIONAL_ERRORS)[number] | "cross_site_request"

const noPerson: Claim<undefined, unknown, never> = {
  userId: undefined,
  admit: Effect.void,
  callerOf: () => Effect.undefined
}

/** Admits any caller, signed in or not: for requests that a page sends before it knows if a person is signed in. */
export const optionalSessionAccess = defineAccess<Caller | undefined, unknown, OptionalCode>({
  name: "optional session",
  description: "Any client may call; a signed-in person is recognised.",
  errors: (method) => (isUnsafe(method) ? [...OPTIONAL_ERRORS, "cross_site_request"] : OPTIONAL_ERRORS),
  isPerson: true,
  claimOf: (context) =>
    Effect.catchTag(sessionClaim(context), ["SessionInvalid", "TooManyFailures"], () => Effect.succeed(noPerson))
})

/** A person whose browser opens a page of this server, with all cookies of that browser for this server. */
export interface NavigatingPerson {
  readonly session: Caller
  readonly cookies: ReadonlyArray<CookiePair>
}

/** Like `sessionAccess`, for routes that a browser opens as a page: the caller includes the browser's cookies. */
export const navigationAccess = defineAccess<NavigatingPerson, unknown, SessionCode | "cross_site_request">({
  ...sessionAccess,
  errors: sessionAccess.errors as (method: string) => ReadonlyArray<SessionCode | "cross_site_request">,
  claimOf: Effect.fnUntraced(function* (context) {
    const cookies = cookiePairs(context.request.headers.cookie ?? "")
    return yield* personClaim(({ issuedAt: _issuedAt, token: _token, ...session }): NavigatingPerson => ({
      session,
      cookies
    }))(context)
  })
})

/** A session that may be ended, with the names of the cookies in which the browser sent it. */
export interface EndingSession extends ProvenSession {
  readonly cookieNames: ReadonlyArray<string>
}

const isSession = (proven: { readonly expiresAt: unknown; readonly token: unknown }): proven is ProvenSession =>
  proven.token !== undefined && proven.expiresAt !== undefined

/**
 * Like `sessionAccess`, for routes that end the session: the caller includes the session's token. Sessions of the
 * host's own sign-in have no token here, because the host ends them.
 */
export const tokenAccess = defineAccess<EndingSession, unknown, SessionCode | "cross_site_request">({
  ...sessionAccess,
  errors: sessionAccess.errors as (method: string) => ReadonlyArray<SessionCode | "cross_site_request">,
  isOffered: ({ authenticate }) => authenticate === undefined,
  claimOf: Effect.fnUntraced(function* (context) {
    const { request, server } = context
    const claim = yield* personClaim((proven) => proven)(context)
    const cookieNames = sessionCookieNames(request.headers.cookie, server.sessionCookie)
    return {
      ...claim,
      callerOf: () =>
        Effect.flatMap(claim.callerOf(), (proven) =>
          isSession(proven) ? Effect.succeed({ ...proven, cookieNames }) : Effect.fail(unproven("refused"))
        )
    }
  })
})
