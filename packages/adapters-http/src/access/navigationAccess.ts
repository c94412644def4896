import { Effect } from "effect"
import { type CookiePair, cookiePairs } from "../sessions/cookiePairs.ts"
import { defineAccess } from "./Access.ts"
import { type Caller, personClaim, sessionAccess, type SessionCode } from "./sessionAccess.ts"

/** A person whose browser navigates, with all cookies of this server. */
export interface NavigatingPerson {
  readonly session: Caller
  readonly cookies: ReadonlyArray<CookiePair>
}

/** Like `sessionAccess`, for navigations of a browser: the caller is the person with the browser's cookies. */
export const navigationAccess = defineAccess<NavigatingPerson, unknown, SessionCode | "cross_site_request">({
  ...sessionAccess,
  errors: sessionAccess.errors as (method: string) => ReadonlyArray<SessionCode | "cross_site_request">,
  claimOf: Effect.fnUntraced(function* (request) {
    const cookies = cookiePairs(request.headers.cookie ?? "")
    return yield* personClaim(({ token: _token, ...session }): NavigatingPerson => ({ session, cookies }))(request)
  })
})
