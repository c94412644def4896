import { documentType, OPERATOR_ROLES } from "@parley/core/adapter"
import { ModelOffers, UploadLimits } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { type Caller, optionalSessionAccess, sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { listOf, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { TierBody, tierBody } from "../billing/tiers.ts"

const MeBody = named("Me", "The signed-in person.", {
  userId: text("Your id, as the identity provider names you."),
  email: orNull(Schema.String, "Your e-mail address; null if the identity provider does not tell it."),
  name: Schema.optionalKey(Schema.String).annotate({ description: "Your name, if the identity provider tells it." }),
  role: Schema.optionalKey(Schema.Literals(OPERATOR_ROLES)).annotate({
    description: "Your role as an operator, if you have one."
  }),
  sessionExpiresAt: Schema.NullOr(Schema.String).annotate({
    description: "When you have to sign in again, where that is known."
  }),
  tier: TierBody,
  uploads: named("UploadLimits", "The limits of uploads.", {
    maxBytes: whole("The most bytes of a file."),
    types: listOf(Schema.String, "The types that may be uploaded."),
    extensions: listOf(Schema.String, "The extensions of files of these types.")
  })
})

const SessionBody = named("Session", "The session of a request.", {
  me: Schema.NullOr(MeBody).annotate({ description: "Null if no person is signed in." })
})

const meOf = Effect.fnUntraced(function* (caller: Caller) {
  const offers = yield* ModelOffers
  const tier = yield* offers.tier(caller.userId)
  const { maxBytes, types } = yield* UploadLimits
  const body: typeof MeBody.Type = {
    userId: caller.userId,
    email: caller.email ?? null,
    ...(caller.name === undefined ? {} : { name: caller.name }),
    ...(caller.role === undefined ? {} : { role: caller.role }),
    sessionExpiresAt: caller.expiresAt === undefined ? null : new Date(caller.expiresAt).toISOString(),
    tier: tierBody(tier),
    uploads: { maxBytes, types, extensions: types.flatMap((type) => documentType(type).extensions) }
  }
  return body
})

/** The signed-in person and their plan. */
export const getMe = defineRoute({
  method: "GET",
  path: "/api/me",
  summary: "Returns the signed-in person, their tier and the limits of uploads",
  access: sessionAccess,
  responses: { 200: { description: "You.", schema: MeBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: ({ caller }) => Effect.map(meOf(caller), (me) => json(200, me))
})

/**
 * The signed-in person, or null. A page calls this route before it knows if a person is signed in, because browsers log
 * every 401 as an error.
 */
export const getSession = defineRoute({
  method: "GET",
  path: "/api/session",
  summary: "Returns the signed-in person, as /api/me does, or null",
  access: optionalSessionAccess,
  responses: { 200: { description: "The signed-in person, or null.", schema: SessionBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: ({ caller }) =>
    Effect.map(caller === undefined ? Effect.succeed(null) : meOf(caller), (me) => json(200, { me }))
})
