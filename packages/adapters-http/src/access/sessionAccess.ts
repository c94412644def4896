import { Effect } from "effect"
import { AllowedOrigins } from "../environment/AllowedOrigins.ts"
import { PersonRequests } from "../environment/PersonRequests.ts"
import { PublicAddress } from "../environment/PublicAddress.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import { defineAccess } from "./Access.ts"
import type { Person } from "./authenticate.ts"
import { provePerson } from "./provePerson.ts"
import { isUnsafe, refuseCrossSite } from "./refuseCrossSite.ts"

const SESSION_ERRORS = ["unauthorized", "identity_unavailable", "too_many_requests"] as const

export type SessionCode = (typeof SESSION_ERRORS)[number]

/** The facts about a calling person for routes. */
export type Caller = Omit<Person, "token">

/**
 * The claim of a person, with the facts for the route. Cross-site writes are refused for every kind of proof: the
 * host's own sign-in may use a cookie, and only browsers send the headers that report other sites.
 */
export const personClaim = <Proven>(callerOf: (proven: Person) => Proven) =>
  Effect.fnUntraced(function* (head: RequestHead) {
    const { headers, method } = head
    const proven = yield* provePerson(head)
    const { userId } = proven
    const { enter } = yield* PersonRequests
    const { url } = yield* PublicAddress
    const allowed = yield* AllowedOrigins
    const entering = enter(userId)
    return {
      userId,
      admit: isUnsafe(method) ? Effect.andThen(entering, refuseCrossSite(headers, url, allowed)) : entering,
      callerOf: () => Effect.succeed(callerOf(proven))
    }
  })

/** The claim of a signed-in person. */
export const sessionClaim = personClaim(({ token: _token, ...caller }): Caller => caller)

/** All signed-in people, with a bound on the requests of one person; cross-site writes are refused. */
export const sessionAccess = defineAccess<Caller, unknown, SessionCode | "cross_site_request">({
  name: "session",
  scheme: (name) => ({ type: "apiKey", in: "cookie", name }),
  errors: (method) => (isUnsafe(method) ? [...SESSION_ERRORS, "cross_site_request"] : SESSION_ERRORS),
  isPerson: true,
  claimOf: sessionClaim
})
