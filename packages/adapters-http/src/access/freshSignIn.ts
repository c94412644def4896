import { Clock, Effect } from "effect"
import type { Context } from "../exchange/Exchange.ts"
import { FreshSignInRequired } from "../problems/errors.ts"
import { type Access, defineAccess } from "./Access.ts"
import { type Caller, type Person, personClaim, type SessionCode, sessionAccess, withoutToken } from "./personAccess.ts"

/**
 * Refuses a person whose sign-in is of unknown age, or older than the server allows for critical calls: a session that
 * was stolen or left open is not enough for them.
 */
export const requireFreshSignIn = ({ server }: Context, { signedInAt = -Infinity }: Caller) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - signedInAt <= server.stepUpSeconds * 1_000
      ? Effect.void
      : Effect.fail(new FreshSignInRequired({ maxAgeSeconds: server.stepUpSeconds }))
  )

const freshAccess = <Proven extends Caller>(callerOf: (proven: Person) => Proven): Access<Proven> =>
  defineAccess<Proven, unknown, SessionCode | "cross_site_request" | "fresh_sign_in_required">({
    ...sessionAccess,
    description: "Callers are people who signed in a short time ago.",
    errors: (method) => [
      ...(sessionAccess.errors(method) as ReadonlyArray<SessionCode | "cross_site_request">),
      "fresh_sign_in_required"
    ],
    claimOf: Effect.fnUntraced(function* (context) {
      const claim = yield* personClaim(callerOf)(context)
      const caller = yield* claim.callerOf()
      return { ...claim, admit: Effect.andThen(claim.admit, requireFreshSignIn(context, caller)) }
    })
  })

/** Like `sessionAccess`, for calls that a stolen session must not make: the person must have signed in recently. */
export const freshSessionAccess = freshAccess<Caller>(withoutToken)

/** Like `freshSessionAccess`, for calls that end the session. */
export const freshTokenAccess = freshAccess<Person>((proven) => proven)
