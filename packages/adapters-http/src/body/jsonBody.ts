import { Effect, Schema, SchemaIssue, type Scope } from "effect"
import { BodyIntake } from "../environment/BodyIntake.ts"
import type { HttpRequest } from "../exchange/HttpRequest.ts"
import { InvalidRequest, PayloadTooLarge } from "../problems/errors.ts"
import type { BodyMemory } from "./BodyMemory.ts"
import { jsonSize } from "./jsonSize.ts"
import { type JsonShape, shapeOf } from "./JsonShape.ts"
import type { JsonAnswer } from "./JsonThread.ts"
import { keepBytes } from "./keepBytes.ts"
import { pruneJson } from "./pruneJson.ts"
import { type BodyRefused, keepBody } from "./readBody.ts"
import type { RouteBody } from "./RouteBody.ts"

export const MAX_JSON_BYTES = 1024 * 1024

/** The failures of reading any JSON body, besides those of its content. */
export const JSON_REFUSALS = ["payload_too_large", "request_too_slow", "server_busy", "body_already_read"] as const
export type JsonRefusal = (typeof JSON_REFUSALS)[number]

/** The reason why a body is not JSON, as a sentence for its sender. */
export class NotJson extends Schema.TaggedError<NotJson>()("NotJson", { problem: Schema.String }) {}

const utf8 = new TextDecoder("utf-8", { fatal: true })
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** Longer bodies are parsed in a thread, because parsing would block the event loop longer than transferring them. */
const LARGE_BYTES = 32 * 1024

/**
 * Reads a body as JSON of any form. Errors never repeat the content. Of a large body only the parts in `shape` are
 * kept; it counts as memory until the scope closes, so that the person's next body is read only after this one is
 * handled.
 */
export const readJson = Effect.fnUntraced(function* (
  request: HttpRequest,
  person: string,
  shape: JsonShape
): Effect.fn.Return<unknown, NotJson | BodyRefused, BodyIntake | Scope.Scope> {
  if (!isJsonType(request.headers["content-type"])) {
    return yield* new NotJson({ problem: "Send JSON with the header content-type: application/json" })
  }
  const { json, jsonThread, pace } = yield* BodyIntake
  const taken = request.body.taken()
  if (taken?._tag === "value") return yield* keepTaken(taken.value, json, person, shape)
  // A body that another parser has read is decoded already.
  if (taken === undefined && !["", "identity"].includes(request.headers["content-encoding"] ?? "")) {
    return yield* new NotJson({ problem: "Send the body without a content-encoding" })
  }
  const { arrival, bytes } = yield* keepBody(request, { limit: MAX_JSON_BYTES, memory: json, pace, person })
  const isLarge = bytes.byteLength > LARGE_BYTES
  if (!isLarge) arrival.release()
  const answer = yield* isLarge ? jsonThread.parse(person, { bytes, shape }) : parse(bytes)
  if (answer.ok) return answer.value
  return yield* new NotJson({ problem: "Expected JSON in UTF-8, but the body cannot be parsed" })
})

/** A value that another parser has made, within the bounds of a body that is read here. */
const keepTaken = Effect.fnUntraced(function* (value: unknown, memory: BodyMemory, person: string, shape: JsonShape) {
  const size = jsonSize(value, MAX_JSON_BYTES)
  if (size > MAX_JSON_BYTES) return yield* new PayloadTooLarge({ limit: MAX_JSON_BYTES })
  if (size <= LARGE_BYTES) return value
  const keep = Effect.sync(() => keepBytes(memory, person, size))
  yield* Effect.acquireRelease(keep, (kept) => Effect.sync(() => kept.release()))
  return pruneJson(value, shape)
})

const parse = (bytes: Uint8Array): Effect.Effect<JsonAnswer> =>
  Effect.sync(() => {
    try {
      return { ok: true, value: JSON.parse(utf8.decode(bytes)) as unknown }
    } catch {
      return { ok: false }
    }
  })

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(contentType ?? "")

/** A JSON body of the given form; unknown fields are dropped. Any other body is 400, a too large one 413. */
export const jsonBody = <A, I>(
  schema: Schema.Codec<A, I>,
  description: string
): RouteBody<A, "invalid_request" | JsonRefusal> => {
  const shape = shapeOf(schema)
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  const invalid = (issues: InvalidRequest["issues"]) => new InvalidRequest({ issues })
  return {
    contentType: "application/json",
    description,
    schema,
    errors: ["invalid_request", ...JSON_REFUSALS],
    read: (request, person) =>
      readJson(request, person, shape).pipe(
        Effect.catchTag("NotJson", ({ problem }) => Effect.fail(invalid([{ path: "body", message: problem }]))),
        Effect.flatMap((body) =>
          Effect.mapError(decode(body), (error) =>
            invalid(formatIssue(error.issue).issues.map(({ path, message }) => ({ path: pathText(path), message })))
          )
        )
      )
  }
}

const pathText = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined): string =>
  (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".") || "body"
