import { Effect, Schema } from "effect"
import { JSON_REFUSALS, type JsonRefusal } from "./jsonBody.ts"
import { keepBody } from "./receiveBody.ts"
import type { RouteBody } from "./RouteBody.ts"

/** The sign-in forms have a few short fields. */
const MAX_FORM_BYTES = 16 * 1024

/**
 * Reads one text field of an HTML form. The result is an empty text if the field is missing or the body has another
 * type.
 */
export const formBody = <Field extends string>(field: Field, description: string): RouteBody<string, JsonRefusal> => ({
  contentType: "application/x-www-form-urlencoded",
  description,
  schema: Schema.Struct({
    [field]: Schema.String.annotate({ description: `What the person typed into the field ${field}.` })
  }),
  errors: JSON_REFUSALS,
  read: Effect.fnUntraced(function* ({ request, server }, person) {
    const taken = request.takenBody()
    // A body parser of the host has read the form already.
    if (taken?._tag === "value") return textOf((taken.value as { readonly [name: string]: unknown } | null)?.[field])
    const { json, pace } = server.bodies
    const { arrival, bytes } = yield* keepBody(request, { limit: MAX_FORM_BYTES, memory: json, pace, person })
    const text = new URLSearchParams(bytes.toString("utf8")).get(field)
    arrival.release()
    return textOf(text)
  })
})

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
