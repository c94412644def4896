import { SecurityEvents } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { tokenAccess } from "../../access/personAccess.ts"
import { empty, json, publicPathOf } from "../../exchange/Exchange.ts"
import { clearSessionCookies } from "../../sessions/cookies.ts"
import { endSession } from "../endSession.ts"
import { textParameter } from "../parameters.ts"
import { named } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const SignedOutBody = named("SignedOut", "The end of a session.", {
  url: Schema.NullOr(Schema.String).annotate({ description: "The address of the next page, if there is one." })
})

const COOKIE = { "set-cookie": "The session cookie, emptied; one for each cookie that carries a part of it." }

/** Ends the caller's session. A form is redirected to the next page; a script receives that page's address. */
export const postSignOut = defineRoute({
  method: "POST",
  path: "/api/sign-out",
  summary: "Ends your session: its token is refused from now on, also if another person has copied it",
  access: tokenAccess,
  headerParameters: { accept: textParameter("With text/html, as forms send it, the response is a redirect.") },
  responses: {
    200: { description: "Signed out.", schema: SignedOutBody, headers: COOKIE },
    303: { description: "Signed out, for a form.", headers: { ...COOKIE, location: "The next page." } }
  },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, context, headers: { accept = "" } }) {
    const { cookieNames, expiresAt, token, userId } = caller
    yield* endSession({ token, expiresAt })
    yield* SecurityEvents.use(({ record }) => record({ event: "signed_out", userId }))
    const { sessionCookie, signOutUrl: url } = context.server
    const path = publicPathOf(context)
    const headers = { "set-cookie": clearSessionCookies(sessionCookie, path, cookieNames) }
    const body: typeof SignedOutBody.Type = { url: url ?? null }
    return accept.includes("text/html")
      ? empty({ ...headers, location: url ?? `${path}/` }, 303)
      : json(200, body, headers)
  })
})
