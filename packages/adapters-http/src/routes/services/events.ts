import { EventFeed } from "@parley/core/effect"
import { EVENT_TYPES } from "@parley/core"
import { Effect, Result, Schema } from "effect"
import { keyAccess } from "../../access/secretAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { integerParameter, type Parameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"

const cursorParameter: Parameter<number> = {
  description: "The `next` of the page before: only events after it. Without it, from the oldest event.",
  jsonSchema: { type: "string" },
  decode: (text = "0") =>
    /^\d{1,15}$/.test(text) ? Result.succeed(Number(text)) : Result.fail("Expected the `next` of the page before")
}

const EventsBody = Schema.Struct({
  events: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      type: Schema.Literals(EVENT_TYPES),
      version: Schema.Int,
      createdAt: Schema.String,
      data: Schema.Record(Schema.String, Schema.Unknown)
    })
  ).annotate({ description: "The events, the oldest first, in the form that webhooks have." }),
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
    after: cursorParameter,
    limit: integerParameter({ description: "The most events in the response.", minimum: 1, maximum: 200, default: 50 })
  },
  responses: { 200: { description: "A page of events.", schema: EventsBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ query }) {
    const { events, next } = yield* EventFeed.use((feed) => feed.read(query))
    return json(200, { events, next: String(next) })
  })
})
