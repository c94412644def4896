import { SessionVerifier } from "@parley/core/adapter"
import { SignOut } from "@parley/core/effect"
import { UserId } from "@parley/core"
import { isMoment } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { type Authenticate, PersonSignIn, type SignedIn } from "../environment/PersonSignIn.ts"
import { SessionCookies } from "../environment/SessionCookies.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import { AuthenticateFailed } from "../problems/errors.ts"
import { authenticate, type Person, unproven } from "./authenticate.ts"

/** The person of a request: from the host's own sign-in, or from the session in a bearer token or a cookie. */
export const provePerson = Effect.fnUntraced(function* (head: RequestHead) {
  const signIn = yield* PersonSignIn
  if (signIn.authenticate !== undefined) return yield* askHost(signIn.authenticate, head)
  const { authorization, cookie } = head.headers
  return yield* authenticate(yield* SessionVerifier, yield* SignOut, yield* SessionCookies, {
    cookie,
    authorization: signIn.bearerTokens ? authorization : undefined
  })
})

const askHost = Effect.fnUntraced(function* (ask: Authenticate<unknown>, { source }: RequestHead) {
  const answer = yield* Effect.promise(async () => {
    try {
      return await ask(source)
    } catch (cause) {
      throw new AuthenticateFailed(cause)
    }
  })
  if (answer === undefined) return yield* unproven("missing")
  return personOf(answer) ?? (yield* Effect.die(new AuthenticateFailed(new TypeError("No user id."))))
})

const isUserId = Schema.is(UserId)

/** Checks the form of the host's result. */
const personOf = (answer: SignedIn): Person | undefined => {
  const { email, expiresAt, userId } = (answer ?? {}) as Partial<SignedIn>
  const fits = (email === undefined || typeof email === "string") && (expiresAt === undefined || isMoment(expiresAt))
  return isUserId(userId) && fits ? { userId, email, expiresAt, token: undefined } : undefined
}
