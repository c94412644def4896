import { type Session, SessionVerifier, SignOut } from "@parley/core"
import { Effect } from "effect"
import { PersonRequests } from "../environment/PersonRequests.ts"
import { PublicAddress } from "../environment/PublicAddress.ts"
import { SessionCookies } from "../environment/SessionCookies.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import { defineAccess } from "./Access.ts"
import { authenticate, type ProvenSession } from "./authenticate.ts"
import { isUnsafe, refuseCrossSite } from "./refuseCrossSite.ts"

const SESSION_ERRORS = ["unauthorized", "identity_unavailable", "too_many_requests"] as const

export type SessionCode = (typeof SESSION_ERRORS)[number]

/** The claim of a session cookie, with what of the session the route is told. */
export const sessionClaim = <Caller>(callerOf: (proven: ProvenSession) => Caller) =>
  Effect.fnUntraced(function* ({ headers, method }: RequestHead) {
    const cookie = yield* SessionCookies
    const proven = yield* authenticate(yield* SessionVerifier, yield* SignOut, cookie, headers.cookie)
    const { userId } = proven
    const { enter } = yield* PersonRequests
    const { url } = yield* PublicAddress
    const entering = enter(userId)
    return {
      userId,
      admit: isUnsafe(method) ? Effect.andThen(entering, refuseCrossSite(headers, url)) : entering,
      callerOf: () => Effect.succeed(callerOf(proven))
    }
  })

/** All users who are signed in, with a bound on the requests of one person; writes from other sites are refused. */
export const sessionAccess = defineAccess<Session, unknown, SessionCode | "cross_site_request">({
  name: "session",
  scheme: (name) => ({ type: "apiKey", in: "cookie", name }),
  errors: (method) => (isUnsafe(method) ? [...SESSION_ERRORS, "cross_site_request"] : SESSION_ERRORS),
  claimOf: sessionClaim(({ token: _token, ...session }): Session => session)
})
