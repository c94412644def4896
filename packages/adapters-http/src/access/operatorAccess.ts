import type { OperatorRole } from "@parley/core/adapter"
import { RequestOrigin, bareAddress } from "@parley/core/adapter"
import { type ActionAsked, operatorOf } from "@parley/core/effect"
import { Effect } from "effect"
import { RoleMissing } from "../problems/errors.ts"
import { type Access, defineAccess } from "./Access.ts"
import { requireFreshSignIn } from "./freshSignIn.ts"
import { isUnsafe } from "./origins.ts"
import { type Caller, type SessionCode, sessionAccess, sessionClaim } from "./personAccess.ts"

/** Operators with the role `owner` also have the rights of `support`. */
const mayActAs = (role: OperatorRole | undefined, needed: OperatorRole): boolean => role === "owner" || role === needed

/**
 * Admits a signed-in operator with this role. Only the signed session names the role. Writes require a recent sign-in.
 */
export const operatorAccess = (needed: OperatorRole): Access<Caller> =>
  defineAccess<Caller, unknown, SessionCode | "cross_site_request" | "role_missing" | "fresh_sign_in_required">({
    ...sessionAccess,
    name: needed,
    description:
      needed === "owner"
        ? "Callers are signed-in operators with the role `owner`; writes require a fresh sign-in."
        : "Callers are signed-in operators with the role `support` or `owner`.",
    errors: (method) => [
      ...(sessionAccess.errors(method) as ReadonlyArray<SessionCode | "cross_site_request">),
      "role_missing",
      ...(isUnsafe(method) ? (["fresh_sign_in_required"] as const) : [])
    ],
    claimOf: Effect.fnUntraced(function* (context) {
      const claim = yield* sessionClaim(context)
      const caller = yield* claim.callerOf()
      const allowed = mayActAs(caller.role, needed) ? Effect.void : Effect.fail(new RoleMissing({ role: needed }))
      const isFresh = isUnsafe(context.request.method) ? requireFreshSignIn(context, caller) : Effect.void
      return { ...claim, admit: claim.admit.pipe(Effect.andThen(allowed), Effect.andThen(isFresh)) }
    })
  })

/** The operator of a request and the reason of the action, for the audit log. */
export const askedBy = ({ userId }: Pick<Caller, "userId">, reason: string): Effect.Effect<ActionAsked> =>
  Effect.map(RequestOrigin, (origin) => ({
    by: operatorOf(userId),
    reason,
    ...(origin === undefined ? {} : { address: bareAddress(origin.address) })
  }))
