import { EventFeed } from "@parley/core/effect"
import { EVENT_TYPES } from "@parley/core"
import { Effect, Schema } from "effect"
import { keyAccess } from "../../access/secretAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { integerParameter, refusedCursor, textParameter } from "../parameters.ts"
import { choice, listOf, moment, named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const EventBody = named("Event", "A change, in the form that webhooks have.", {
  id: text("The event's id: the same in every delivery."),
  type: choice(EVENT_TYPES, "The kind of the change."),
  version: whole("The version of the form of `data`."),
  createdAt: moment("When the change was committed."),
  data: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The change; its fields depend on `type`."
  })
})

const EventsBody = named("EventPage", "A page of events.", {
  events: listOf(EventBody, "The events, the oldest first."),
  next: Schema.String.annotate({
    description: "Ask for `after` this next time: now if the page is full, later otherwise."
  })
})

/** The events of all people. */
export const getEvents = defineRoute({
  method: "GET",
  path: "/v1/events",
  summary: "Lists the events of the last seven days, oldest first, page by page",
  access: keyAccess("events:read"),
  queryParameters: {
    after: textParameter("The `next` of the page before: only events after it. Without it, from the oldest event."),
    limit: integerParameter({ description: "The most events in the response.", minimum: 1, maximum: 200, default: 50 })
  },
  responses: { 200: { description: "A page of events.", schema: EventsBody } },
  errors: ["invalid_request", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ query }) {
    const { events, next } = yield* EventFeed.use((feed) => feed.read(query)).pipe(
      Effect.catchTag("InvalidInput", (refused) => Effect.fail(refusedCursor(refused)))
    )
    return json(200, { events, next })
  })
})
