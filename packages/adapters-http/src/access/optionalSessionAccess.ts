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

/** Any caller: a person who is signed in, or somebody who is not. For questions that are asked before it is known which. */
export const optionalSessionAccess = defineAccess<Caller | undefined, unknown, Code>({
  name: "optional session",
  errors: (method) => (isUnsafe(method) ? [...ERRORS, "cross_site_request"] : ERRORS),
  isPerson: true,
  claimOf: (head) => Effect.catchTag(sessionClaim(head), "SessionInvalid", () => Effect.succeed(nobody))
})
