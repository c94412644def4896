import { Effect } from "effect"
import { type Claim, defineAccess } from "./Access.ts"
import { isUnsafe } from "./refuseCrossSite.ts"
import { type Caller, sessionClaim } from "./sessionAccess.ts"

const ERRORS = ["identity_unavailable", "too_many_requests"] as const

type Code = (typeof ERRORS)[number] | "cross_site_request"

const nobody: Claim<undefined, unknown, never> = {
  userId: undefined,
  admit: Effect.void,
  callerOf: () => Effect.undefined
}

/** Any caller, signed in or not. For requests that a page sends before it knows. */
export const optionalSessionAccess = defineAccess<Caller | undefined, unknown, Code>({
  name: "optional session",
  errors: (method) => (isUnsafe(method) ? [...ERRORS, "cross_site_request"] : ERRORS),
  isPerson: true,
  claimOf: (head) => Effect.catchTag(sessionClaim(head), "SessionInvalid", () => Effect.succeed(nobody))
})
