import { CreditService, SecurityEvents } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { developmentAccess } from "../../access/developmentAccess.ts"
import { empty, json, type Context, publicPathOf } from "../../exchange/Exchange.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import type { DevelopmentSessions } from "../../sessions/developmentSessions.ts"
import { clearSessionCookie, setSessionCookie } from "../../sessions/cookies.ts"
import { moment, named, text } from "../fields.ts"
import { defineRoute } from "../Route.ts"

/** A text that looks like an e-mail address and is valid as a user id. */
const Email = Schema.String.check(
  Schema.isMaxLength(127),
  Schema.isPattern(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u, { message: "Expected an e-mail address" })
)

const SignedInBody = named("DevelopmentSession", "A session of the development sign-in.", {
  userId: text("The person's id."),
  email: text("The person's address."),
  expiresAt: moment("When the session ends.")
})

const signIn = Effect.fnUntraced(function* (sessions: DevelopmentSessions, address: string, context: Context) {
  const { userId, email, expiresAt, token, lifetimeSeconds } = yield* sessions.issue(address)
  const credits = yield* CreditService
  // The person's account is opened at the first sign-in.
  yield* credits.balance(userId)
  yield* SecurityEvents.use(({ record }) => record({ event: "signed_in", userId }))
  const body: typeof SignedInBody.Type = { userId, email, expiresAt: new Date(expiresAt).toISOString() }
  const session = { token, maxAgeSeconds: lifetimeSeconds, path: publicPathOf(context) }
  return json(200, body, { "set-cookie": setSessionCookie(context.server.sessionCookie, session) })
})

/** Signs in a person by an e-mail address, without a proof. */
export const postDevelopmentSignIn = defineRoute({
  method: "POST",
  path: "/dev/sign-in",
  summary: "Signs in with an e-mail address alone; the same address is the same user",
  access: developmentAccess,
  body: jsonBody(
    named("DevelopmentSignIn", "A development sign-in.", {
      email: Email.annotate({ description: "The address of the person to sign in as." })
    }),
    "The person to sign in as."
  ),
  responses: {
    200: {
      description: "Signed in.",
      schema: SignedInBody,
      headers: { "set-cookie": "The session cookie." }
    }
  },
  errors: ["unauthorized", "storage_unavailable"],
  handle: ({ body, caller, context }) => signIn(caller, body.email, context)
})

/** Removes the session of the development sign-in from the browser. */
export const postDevelopmentSignOut = defineRoute({
  method: "POST",
  path: "/dev/sign-out",
  summary: "Clears the session cookie",
  access: developmentAccess,
  responses: { 204: { description: "Signed out.", headers: { "set-cookie": "The cookie, emptied." } } },
  errors: [],
  handle: ({ context }) =>
    Effect.succeed(empty({ "set-cookie": clearSessionCookie(context.server.sessionCookie, publicPathOf(context)) }))
})
