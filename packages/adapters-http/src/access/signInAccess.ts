import { Effect } from "effect"
import { RouteNotFound } from "../problems/errors.ts"
import { ownAddress } from "../routes/billing/returnAddress.ts"
import { cookieNameOf, cookiePairs } from "../sessions/cookies.ts"
import type { OwnSessions } from "../sessions/ownSessions.ts"
import { SIGN_IN_COOKIE } from "../sessions/signInCookie.ts"
import { defineAccess } from "./Access.ts"
import { isUnsafe, refuseCrossSite } from "./origins.ts"

/** A browser that signs in by e-mail. */
export interface SigningIn {
  readonly sessions: OwnSessions
  /** The client's address, as reported by trusted proxies; undefined if it is unknown. */
  readonly address: string | undefined
  /** The secret that the browser got with its last request for a mail; undefined if it has none. */
  readonly browser: string | undefined
  /** The absolute address of the sign-in page. */
  readonly page: URL
}

/**
 * Admits any browser if the sign-in by e-mail is on and the server knows its own public address, which the links in
 * mails need; otherwise the route answers 404. Cross-site writes are refused: another site must not sign a person in.
 */
export const signInAccess = defineAccess<SigningIn, unknown, "not_found" | "cross_site_request">({
  name: "sign-in",
  description: "Any browser may call.",
  isOffered: ({ emailSignIn }) => emailSignIn !== undefined,
  errors: (method) => (isUnsafe(method) ? ["not_found", "cross_site_request"] : ["not_found"]),
  claimOf: Effect.fnUntraced(function* (context) {
    const { request, server } = context
    const { headers, method, peer } = request
    const sessions = server.emailSignIn
    const page = ownAddress(context, "/sign-in", headers.host)
    if (sessions === undefined || page === undefined) return yield* new RouteNotFound()
    const name = cookieNameOf({ ...server.sessionCookie, ...SIGN_IN_COOKIE })
    const browser = cookiePairs(headers.cookie ?? "").find((pair) => pair.name === name && pair.value !== "")?.value
    return {
      userId: undefined,
      admit: isUnsafe(method) ? refuseCrossSite(request, { address: server.address }) : Effect.void,
      callerOf: () => Effect.succeed({ sessions, address: peer === "" ? undefined : peer, browser, page })
    }
  })
})
