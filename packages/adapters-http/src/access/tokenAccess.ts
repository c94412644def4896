import { Effect } from "effect"
import { SessionCookies } from "../environment/SessionCookies.ts"
import { sessionCookieNames } from "../sessions/cookieTokens.ts"
import { defineAccess } from "./Access.ts"
import { type ProvenSession, unproven } from "./authenticate.ts"
import { personClaim, sessionAccess, type SessionCode } from "./sessionAccess.ts"

/** A session that may be ended, with the names of the browser's cookies that carry it. */
export interface EndingSession extends ProvenSession {
  readonly cookieNames: ReadonlyArray<string>
}

const isSession = (proven: { readonly expiresAt: unknown; readonly token: unknown }): proven is ProvenSession =>
  proven.token !== undefined && proven.expiresAt !== undefined

/**
 * Like `sessionAccess`, for changes of the session itself: the caller is the session with its token. The host ends the
 * sessions of its own sign-in.
 */
export const tokenAccess = defineAccess<EndingSession, unknown, SessionCode | "cross_site_request">({
  ...sessionAccess,
  errors: sessionAccess.errors as (method: string) => ReadonlyArray<SessionCode | "cross_site_request">,
  isOffered: ({ authenticate }) => authenticate === undefined,
  claimOf: Effect.fnUntraced(function* (request) {
    const claim = yield* personClaim((proven) => proven)(request)
    const cookieNames = sessionCookieNames(request.headers.cookie, yield* SessionCookies)
    return {
      ...claim,
      callerOf: () =>
        Effect.flatMap(claim.callerOf(), (proven) =>
          isSession(proven) ? Effect.succeed({ ...proven, cookieNames }) : Effect.fail(unproven("refused"))
        )
    }
  })
})
