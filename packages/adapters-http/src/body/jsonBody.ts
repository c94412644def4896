import { FairSlices, InvalidChatRequest, issuesOf } from "@parley/core/adapter"
import { ChatRequest } from "@parley/core"
import { Effect, Schema, type Scope } from "effect"
import type { Context } from "../exchange/Exchange.ts"
import { InvalidRequest, PayloadTooLarge } from "../problems/errors.ts"
import type { BodyMemory } from "./BodyMemory.ts"
import { type BodyRefused, keepBody } from "./receiveBody.ts"
import type { RouteBody } from "./RouteBody.ts"

export const MAX_JSON_BYTES = 1024 * 1024

/**
 * The largest number of objects, lists and fields in a body: four times the number in the longest chat request. It
 * bounds the time for parsing, because a byte that begins another value costs up to fifty times as much as a byte of a
 * text.
 */
export const MAX_JSON_PARTS = 20_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The bytes `,` `:` `[` `{`, each of which begins a value or a field. */
const PARTS = new Set([0x2c, 0x3a, 0x5b, 0x7b])
const isPart = Uint8Array.from({ length: 256 }, (_, byte) => (PARTS.has(byte) ? 1 : 0))

/**
 * True if JSON in UTF-8 has more than `MAX_JSON_PARTS` parts; stops counting there. For other content the result is
 * meaningless.
 */
export const hasTooManyParts = (bytes: Uint8Array): boolean => {
  let parts = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (isPart[byte] === 1 && ++parts > MAX_JSON_PARTS) return true
  }
  return false
}

/** The most bytes that a number, boolean or null takes as JSON. */
const PLAIN_BYTES = 24

/** A parsed value's estimated size as JSON without blanks and escapes, and the number of its parts. */
interface JsonMeasure {
  readonly bytes: number
  readonly parts: number
}

/** Measures a parsed value; stops above `limit` bytes. */
const measureJson = (value: unknown, limit: number): JsonMeasure => {
  const waiting: Array<unknown> = [value]
  let bytes = 0
  let parts = 0
  while (waiting.length > 0 && bytes <= limit) {
    const next = waiting.pop()
    if (typeof next === "string") bytes += Buffer.byteLength(next) + 2
    else if (Array.isArray(next)) {
      bytes += 2 + next.length
      parts += 1 + next.length
      // The elements of a list are not measured if their number alone exceeds the limit of bytes.
      if (bytes <= limit) for (const element of next) waiting.push(element)
    } else if (typeof next === "object" && next !== null) {
      bytes += 2
      parts += 1
      for (const [name, field] of Object.entries(next)) {
        bytes += Buffer.byteLength(name) + 4
        parts += 2
        waiting.push(field)
      }
    } else bytes += Math.min(PLAIN_BYTES, String(next).length)
  }
  return { bytes, parts }
}

/** The codes with which reading any JSON body can fail, besides those for invalid content. */
export const JSON_REFUSALS = ["payload_too_large", "request_too_slow", "server_busy", "body_already_read"] as const
export type JsonRefusal = (typeof JSON_REFUSALS)[number]

/** The reason why a body is not accepted as JSON, as a sentence for its sender. */
class NotJson extends Schema.TaggedError<NotJson>()("NotJson", { problem: Schema.String }) {}

const TOO_MANY_PARTS = `Expected at most ${MAX_JSON_PARTS.toLocaleString("en")} objects, lists and fields together`

/** Bodies above this size are decoded and parsed in slices, so that requests of other people are served in between. */
const LARGE_BYTES = 32 * 1024
/** Decoding a slice of this size takes at most two milliseconds. */
const SLICE_BYTES = 256 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads a body as JSON of any form. Errors never repeat the content. A large body counts as memory until the scope
 * closes, so that the person's next body is read only after this request is handled.
 */
const readJson = Effect.fnUntraced(function* (
  { request, server }: Context,
  person: string
): Effect.fn.Return<unknown, NotJson | BodyRefused, Scope.Scope> {
  if (!isJsonType(request.headers["content-type"])) {
    return yield* new NotJson({ problem: "Send JSON with the header content-type: application/json" })
  }
  const { json, pace } = server.bodies
  const taken = request.takenBody()
  if (taken?._tag === "value") return yield* keepTaken(taken.value, json, person)
  // If another parser has read the body, it has decoded the content-encoding already.
  if (taken === undefined && !["", "identity"].includes(request.headers["content-encoding"] ?? "")) {
    return yield* new NotJson({ problem: "Send the body without a content-encoding" })
  }
  const { arrival, bytes } = yield* keepBody(request, { limit: MAX_JSON_BYTES, memory: json, pace, person })
  if (hasTooManyParts(bytes)) return yield* new NotJson({ problem: TOO_MANY_PARTS })
  if (bytes.byteLength > LARGE_BYTES) return yield* parseInSlices(bytes, person)
  arrival.release()
  return yield* parsed(() => JSON.parse(utf8.decode(bytes)) as unknown)
})

/** Returns a value that another parser has parsed, within the same bounds as for bodies that are read here. */
const keepTaken = Effect.fnUntraced(function* (value: unknown, memory: BodyMemory, person: string) {
  const { bytes, parts } = measureJson(value, MAX_JSON_BYTES)
  if (bytes > MAX_JSON_BYTES) return yield* new PayloadTooLarge({ limit: MAX_JSON_BYTES })
  if (parts > MAX_JSON_PARTS) return yield* new NotJson({ problem: TOO_MANY_PARTS })
  if (bytes > LARGE_BYTES) {
    const keep = Effect.sync(() => memory.keep(person, bytes))
    yield* Effect.acquireRelease(keep, (kept) => Effect.sync(() => kept.release()))
  }
  return value
})

/** Decodes a text in slices, and parses it together with the last slice. */
const parseInSlices = Effect.fnUntraced(function* (bytes: Uint8Array, person: string) {
  const slices = yield* FairSlices
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  for (let at = 0; ; at += SLICE_BYTES) {
    const isLast = at + SLICE_BYTES >= bytes.byteLength
    const goOn = parsed(() => {
      text += decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: !isLast })
      return isLast ? (JSON.parse(text) as unknown) : undefined
    })
    const value = yield* slices.run(person, goOn)
    if (isLast) return value
  }
})

const parsed = <A>(evaluate: () => A): Effect.Effect<A, NotJson> =>
  Effect.try({
    try: evaluate,
    catch: () => new NotJson({ problem: "Expected JSON in UTF-8, but the body cannot be parsed" })
  })

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(contentType ?? "")

/**
 * A JSON body of the given form; unknown fields are dropped. Any other body is answered with 400, a too large one with
 * 413.
 */
export const jsonBody = <A, I>(
  schema: Schema.Codec<A, I>,
  description: string
): RouteBody<A, "invalid_request" | JsonRefusal> => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return {
    contentType: "application/json",
    description,
    schema,
    errors: ["invalid_request", ...JSON_REFUSALS],
    read: (context, person) =>
      readJson(context, person).pipe(
        Effect.flatMap(decode),
        Effect.catchTags({
          NotJson: ({ problem }) => new InvalidRequest({ issues: [{ path: "body", message: problem }] }),
          SchemaError: (error) => new InvalidRequest({ issues: issuesOf(error) })
        })
      )
  }
}

/** The body of a chat request. Every problem is answered with 422; the chat service checks the form of the body. */
export const chatBody: RouteBody<unknown, "invalid_chat_request" | JsonRefusal> = {
  contentType: "application/json",
  description: "The messages to answer, the last one by the user.",
  schema: ChatRequest,
  example: { messages: [{ role: "user", content: "How long is the notice period?" }] },
  errors: ["invalid_chat_request", ...JSON_REFUSALS],
  read: (context, person) =>
    Effect.catchTag(
      readJson(context, person),
      "NotJson",
      ({ problem }) => new InvalidChatRequest({ issues: [{ path: "body", message: problem }] })
    )
}
