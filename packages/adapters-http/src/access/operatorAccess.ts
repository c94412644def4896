import type { OperatorRole } from "@parley/core/adapter"
import { RequestOrigin, bareAddress } from "@parley/core/adapter"
import type { ActionAsked } from "@parley/core/effect"
import { Effect } from "effect"
import { RoleMissing } from "../problems/errors.ts"
import { type Access, defineAccess } from "./Access.ts"
import { type Caller, type SessionCode, sessionAccess, sessionClaim } from "./personAccess.ts"

/** An owner has the rights of support, too. */
const mayActAs = (role: OperatorRole | undefined, needed: OperatorRole): boolean => role === "owner" || role === needed

/** A signed-in operator with this role, which only the signed session names. */
export const operatorAccess = (needed: OperatorRole): Access<Caller> =>
  defineAccess<Caller, unknown, SessionCode | "cross_site_request" | "role_missing">({
    ...sessionAccess,
    name: needed,
    errors: (method) => [
      ...(sessionAccess.errors(method) as ReadonlyArray<SessionCode | "cross_site_request">),
      "role_missing"
    ],
    claimOf: Effect.fnUntraced(function* (context) {
      const claim = yield* sessionClaim(context)
      const { role } = yield* claim.callerOf()
      const allowed = mayActAs(role, needed) ? Effect.void : Effect.fail(new RoleMissing({ role: needed }))
      return { ...claim, admit: Effect.andThen(claim.admit, allowed) }
    })
  })

/** The operator of a request, for the audit log. */
export const askedBy = ({ userId }: Pick<Caller, "userId">, reason: string): Effect.Effect<ActionAsked> =>
  Effect.map(RequestOrigin, (origin) => ({
    by: `user:${userId}`,
    reason,
    ...(origin === undefined ? {} : { address: bareAddress(origin.address) })
  }))
