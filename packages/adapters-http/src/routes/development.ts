import { CreditService } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { developmentAccess } from "../access/developmentAccess.ts"
import { empty, json } from "../answers/Answer.ts"
import { jsonBody } from "../body/jsonBody.ts"
import { PublicAddress, publicPathOf } from "../environment/PublicAddress.ts"
import { SessionCookies } from "../environment/SessionCookies.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import { clearSessionCookie, setSessionCookie } from "../sessions/sessionCookie.ts"
import { defineRoute } from "./Route.ts"

/** Anything that looks like an address and can be a user id. */
const Email = Schema.String.check(
  Schema.isMaxLength(127),
  Schema.isPattern(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u, { message: "Expected an e-mail address" })
)

const SignedInBody = Schema.Struct({ userId: Schema.String, email: Schema.String, expiresAt: Schema.String })

const signIn = Effect.fnUntraced(function* (sessions: DevelopmentSessions, address: string, prefix: string) {
  const { userId, email, expiresAt, token, lifetimeSeconds } = yield* sessions.issue(address)
  const cookie = yield* SessionCookies
  const path = publicPathOf(yield* PublicAddress, prefix)
  const credits = yield* CreditService
  // The first sight of a person opens the account.
  yield* credits.balance(userId)
  const body: typeof SignedInBody.Type = { userId, email, expiresAt: new Date(expiresAt).toISOString() }
  return json(200, body, { "set-cookie": setSessionCookie(cookie, { token, maxAgeSeconds: lifetimeSeconds, path }) })
})

/** Signs in the owner of an address. */
export const postDevelopmentSignIn = defineRoute({
  method: "POST",
  path: "/dev/sign-in",
  summary: "Signs in with an e-mail address alone; the same address is the same user",
  access: developmentAccess,
  body: jsonBody(Schema.Struct({ email: Email }), "Who to be."),
  responses: {
    200: {
      description: "Signed in.",
      schema: SignedInBody,
      headers: { "set-cookie": "The session cookie." }
    }
  },
  errors: ["storage_unavailable"],
  handle: ({ body, caller, prefix }) => signIn(caller, body.email, prefix)
})

/** Forgets the browser's session. */
export const postDevelopmentSignOut = defineRoute({
  method: "POST",
  path: "/dev/sign-out",
  summary: "Clears the session cookie",
  access: developmentAccess,
  responses: { 204: { description: "Signed out.", headers: { "set-cookie": "The cookie, emptied." } } },
  errors: [],
  handle: Effect.fnUntraced(function* ({ prefix }) {
    const cookie = yield* SessionCookies
    const path = publicPathOf(yield* PublicAddress, prefix)
    return empty({ "set-cookie": clearSessionCookie(cookie, path) })
  })
})
