import { defineAccess } from "./Access.ts"
import type { ProvenSession } from "./authenticate.ts"
import { sessionAccess, sessionClaim, type SessionCode } from "./sessionAccess.ts"

/** As `sessionAccess`, for what is done to the session itself: the caller is the session with its token. */
export const tokenAccess = defineAccess<ProvenSession, unknown, SessionCode | "cross_site_request">({
  ...sessionAccess,
  errors: sessionAccess.errors as (method: string) => ReadonlyArray<SessionCode | "cross_site_request">,
  claimOf: sessionClaim((proven) => proven)
})
