import { Effect, Schema } from "effect"
import { JSON_REFUSALS, type JsonRefusal, MAX_JSON_BYTES } from "./jsonBody.ts"
import { keepBody } from "./receiveBody.ts"
import type { RouteBody } from "./RouteBody.ts"

/** Reads the raw bytes of a body, of any content type, because a signature covers the bytes. */
export const rawBody = (description: string): RouteBody<Uint8Array, JsonRefusal> => ({
  contentType: "application/octet-stream",
  description,
  schema: Schema.String.annotate({ format: "binary" }),
  errors: JSON_REFUSALS,
  read: Effect.fnUntraced(function* ({ request, server }, person) {
    const { json, pace } = server.bodies
    const { bytes } = yield* keepBody(request, { limit: MAX_JSON_BYTES, memory: json, pace, person })
    return bytes
  })
})
