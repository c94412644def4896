import { Effect } from "effect"
import { RouteNotFound } from "../problems/errors.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import { defineAccess } from "./Access.ts"
import { isLocalPage, isLocalRequest } from "./isLocalRequest.ts"
import { isUnsafe, refuseCrossSite } from "./origins.ts"

/**
 * Admits any caller on this machine if the development sign-in is on; otherwise the route answers 404. The handler gets
 * the service that creates sessions in the place of a caller.
 */
export const developmentAccess = defineAccess<DevelopmentSessions, unknown, "not_found" | "cross_site_request">({
  name: "development",
  description: "Any client on the server's machine may call.",
  isOffered: ({ developmentSessions }) => developmentSessions !== undefined,
  errors: (method) => (isUnsafe(method) ? ["not_found", "cross_site_request"] : ["not_found"]),
  claimOf: Effect.fnUntraced(function* ({ request, server: { address, developmentSessions: sessions } }) {
    if (sessions === undefined || !isLocalRequest(request)) return yield* new RouteNotFound()
    const { headers, method } = request
    const fromHere = isLocalPage(headers, address) ? Effect.void : Effect.fail(new RouteNotFound())
    return {
      userId: undefined,
      admit: isUnsafe(method) ? Effect.andThen(refuseCrossSite(request, { address }), fromHere) : fromHere,
      callerOf: () => Effect.succeed(sessions)
    }
  })
})
