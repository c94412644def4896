import { BY_THE_PERSON, UserExport, UserService } from "@parley/core/effect"
import { Clock, Effect, Schema, Stream } from "effect"
import { freshSessionAccess, freshTokenAccess } from "../../access/freshSignIn.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json, publicPathOf, streamed } from "../../exchange/Exchange.ts"
import { InvalidRequest } from "../../problems/errors.ts"
import { clearSessionCookies, sessionCookieNames } from "../../sessions/cookies.ts"
import { endSession } from "../endSession.ts"
import { named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const utf8 = new TextEncoder()

const ASKED = { by: BY_THE_PERSON, reason: undefined }

/** All stored data about the caller. */
export const getExport = defineRoute({
  method: "GET",
  path: "/api/account/export",
  summary: "Returns all stored data about you as lines of JSON; the last one has the kind `end`",
  access: freshSessionAccess,
  largeWork: "read",
  responses: { 200: { description: "A line of JSON for each piece of data.", contentType: "application/jsonl" } },
  errors: ["user_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const users = yield* UserExport
    const day = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
    const lines = Stream.map(users.lines(caller.userId, ASKED), (line) => utf8.encode(`${JSON.stringify(line)}\n`))
    return streamed(lines, {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": `attachment; filename="my-data-${day}.jsonl"`
    })
  })
})

const ErasedBody = named("ErasedAccount", "The erased data.", {
  chats: whole("The number of erased chats."),
  documents: whole("The number of erased documents."),
  transactions: Schema.Int.annotate({ description: "The rows of the ledger that stay, under a random name." })
})

/** Erases all data about the caller. */
export const deleteAccount = defineRoute({
  method: "DELETE",
  path: "/api/account",
  summary:
    "Erases you: chats, documents, bots and credits are gone, subscriptions end at once and without a refund, and you are signed out everywhere",
  access: freshTokenAccess,
  body: jsonBody(
    named("AccountDeletion", "The confirmation of an erasure.", {
      userId: text("Your own id: it confirms the deletion.")
    }),
    "The confirmation."
  ),
  responses: {
    200: {
      description: "Erased. It cannot be undone.",
      schema: ErasedBody,
      headers: { "set-cookie": "The session cookie, emptied, if the request had it." }
    }
  },
  errors: [
    "invalid_request",
    "user_not_found",
    "holds_open",
    "erasure_limited",
    "payments_not_configured",
    "payment_provider_unavailable",
    "payment_provider_refused",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller, context }) {
    if (body.userId !== caller.userId) {
      return yield* new InvalidRequest({
        issues: [{ path: "userId", message: "Expected the id of the signed-in person" }]
      })
    }
    const { expiresAt, token, userId } = caller
    // After an erasure, older tokens are refused by their time of issue. The clock of the identity provider may be
    // ahead, so this token is also signed out explicitly.
    const signOut = token === undefined || expiresAt === undefined ? Effect.void : endSession({ token, expiresAt })
    const erasing = Effect.tap(
      UserService.use((users) => users.eraseOneself(userId)),
      () => signOut
    )
    // The erasure and the sign-out both run to their end, even if the browser disconnects.
    const { chats, documents, transactions } = yield* Effect.uninterruptible(erasing)
    const { sessionCookie } = context.server
    const names = sessionCookieNames(context.request.headers.cookie, sessionCookie)
    const headers = { "set-cookie": clearSessionCookies(sessionCookie, publicPathOf(context), names) }
    const answer: typeof ErasedBody.Type = { chats, documents, transactions }
    return json(200, answer, headers)
  })
})
