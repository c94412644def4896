import { ModelOffers, UploadLimits } from "@parley/core"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../access/sessionAccess.ts"
import { json } from "../answers/Answer.ts"
import { defineRoute } from "./Route.ts"
import { TierBody, tierBody } from "./tierBody.ts"

const MeBody = Schema.Struct({
  userId: Schema.String,
  email: Schema.NullOr(Schema.String),
  sessionExpiresAt: Schema.NullOr(Schema.String).annotate({
    description: "When you have to sign in again, where that is known."
  }),
  tier: TierBody,
  uploads: Schema.Struct({ maxBytes: Schema.Int, types: Schema.Array(Schema.String) })
})

/** Who is signed in, and on what plan. */
export const getMe = defineRoute({
  method: "GET",
  path: "/api/me",
  summary: "Says who you are, what your tier includes and what may be uploaded",
  access: sessionAccess,
  responses: { 200: { description: "You.", schema: MeBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const offers = yield* ModelOffers
    const tier = yield* offers.tier(caller.userId)
    const { maxBytes, types } = yield* UploadLimits
    const body: typeof MeBody.Type = {
      userId: caller.userId,
      email: caller.email ?? null,
      sessionExpiresAt: caller.expiresAt === undefined ? null : new Date(caller.expiresAt).toISOString(),
      tier: tierBody(tier),
      uploads: { maxBytes, types }
    }
    return json(200, body)
  })
})
