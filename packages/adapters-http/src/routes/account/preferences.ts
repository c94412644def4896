import { Preferences, PreferenceService } from "@parley/core/effect"
import { Effect } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json } from "../../exchange/Exchange.ts"
import { defineRoute } from "../Route.ts"

const PreferencesBody = Preferences.annotate({
  identifier: "Preferences",
  description: "Your preferences for replies to your own chats."
})

/** The caller's preferences. */
export const getPreferences = defineRoute({
  method: "GET",
  path: "/api/preferences",
  summary: "Returns your instructions for replies, and your default model",
  access: sessionAccess,
  responses: { 200: { description: "Your preferences.", schema: PreferencesBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const preferences = yield* PreferenceService
    return json(200, yield* preferences.get(caller.userId))
  })
})

/** Changes the caller's preferences. */
export const putPreferences = defineRoute({
  method: "PUT",
  path: "/api/preferences",
  summary: "Stores your instructions for replies, and your default model, in place of earlier ones",
  details:
    "The instructions stand before every conversation of yours and count as input. A request that names a model gets that model; the default model is ignored if your tier does not have it or this server does not run it. Other servers of the deployment follow within ten seconds.",
  access: sessionAccess,
  body: jsonBody(PreferencesBody, "The preferences."),
  responses: { 200: { description: "Your preferences as they are stored.", schema: PreferencesBody } },
  errors: ["unauthorized", "invalid_preferences", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const preferences = yield* PreferenceService
    return json(200, yield* preferences.set(caller.userId, body))
  })
})
