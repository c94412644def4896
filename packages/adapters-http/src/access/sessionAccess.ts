import { type Session, SessionVerifier } from "@parley/core"
import { Effect } from "effect"
import { PersonRequests } from "../environment/PersonRequests.ts"
import { PublicAddress } from "../environment/PublicAddress.ts"
import { SessionCookies } from "../environment/SessionCookies.ts"
import { defineAccess } from "./Access.ts"
import { authenticate } from "./authenticate.ts"
import { isUnsafe, refuseCrossSite } from "./refuseCrossSite.ts"

const SESSION_ERRORS = ["unauthorized", "identity_unavailable", "too_many_requests"] as const

/** All users who are signed in, with a bound on the requests of one person; writes from other sites are refused. */
export const sessionAccess = defineAccess<Session, unknown, (typeof SESSION_ERRORS)[number] | "cross_site_request">({
  name: "session",
  scheme: (name) => ({ type: "apiKey", in: "cookie", name }),
  errors: (method) => (isUnsafe(method) ? [...SESSION_ERRORS, "cross_site_request"] : SESSION_ERRORS),
  claimOf: Effect.fnUntraced(function* ({ headers, method }) {
    const session = yield* authenticate(yield* SessionVerifier, yield* SessionCookies, headers.cookie)
    const { enter } = yield* PersonRequests
    const { url } = yield* PublicAddress
    const entering = enter(session.userId)
    return {
      userId: session.userId,
      admit: isUnsafe(method) ? Effect.andThen(entering, refuseCrossSite(headers, url)) : entering,
      callerOf: () => Effect.succeed(session)
    }
  })
})
