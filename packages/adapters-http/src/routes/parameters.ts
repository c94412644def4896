import { type ConversationCursor, isUuid } from "@parley/core/adapter"
import { UserId } from "@parley/core"
import type { InvalidInput } from "@parley/core/effect"
import { Effect, Result, Schema } from "effect"
import type { Request } from "../exchange/Exchange.ts"
import { InvalidRequest } from "../problems/errors.ts"

/** A parameter of a path, a query or the headers: its description, and the decoder of its text. */
export interface Parameter<A> {
  readonly description: string
  readonly jsonSchema: Readonly<Record<string, unknown>>
  /**
   * Returns the decoded value, or a text that names the expected form. The input is undefined if the parameter was not
   * sent.
   */
  readonly decode: (text: string | undefined) => Result.Result<A, string>
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer A> ? A : never
}

interface IntegerBounds {
  readonly description: string
  readonly minimum: number
  readonly maximum: number
}

/** A parameter with a whole number, optional. */
export const optionalIntegerParameter = (input: IntegerBounds): Parameter<number | undefined> => {
  const { description, minimum, maximum } = input
  const { decode } = integerParameter({ ...input, default: minimum })
  return {
    description,
    jsonSchema: { type: "integer", minimum, maximum },
    decode: (text) => (text === undefined ? Result.succeed(undefined) : decode(text))
  }
}

/** A parameter with a whole number in plain decimal digits. */
export const integerParameter = (input: IntegerBounds & { readonly default: number }): Parameter<number> => {
  const { description, minimum, maximum } = input
  const expected = Result.fail(`Expected a whole number from ${minimum} to ${maximum}`)
  return {
    description,
    jsonSchema: { type: "integer", minimum, maximum, default: input.default },
    decode: (text) => {
      if (text === undefined) return Result.succeed(input.default)
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return value >= minimum && value <= maximum ? Result.succeed(value) : expected
    }
  }
}

/** A parameter with a text, optional. */
export const textParameter = (description: string): Parameter<string | undefined> => ({
  description,
  jsonSchema: { type: "string" },
  decode: (text) =>
    text === undefined || (text.isWellFormed() && !text.includes("\0"))
      ? Result.succeed(text)
      : Result.fail("Expected a text without NUL")
})

/** A parameter with a text, required. */
export const requiredTextParameter = (description: string): Parameter<string> => ({
  description,
  jsonSchema: { type: "string", minLength: 1 },
  decode: (text) =>
    text !== undefined && text !== "" && text.isWellFormed() && !text.includes("\0")
      ? Result.succeed(text)
      : Result.fail("Expected a text of one character or more, without NUL")
})

const MAX_SEARCH_CHARACTERS = 200

/** A parameter with a search text. If it is missing, empty or blank, everything is returned. */
export const searchParameter: Parameter<string | undefined> = {
  description: "Only elements that contain this text, in upper or lower case.",
  jsonSchema: { type: "string", maxLength: MAX_SEARCH_CHARACTERS },
  decode: (text) =>
    text === undefined || (text.length <= MAX_SEARCH_CHARACTERS && text.isWellFormed() && !text.includes("\0"))
      ? Result.succeed(text?.trim())
      : Result.fail(`Expected at most ${MAX_SEARCH_CHARACTERS} characters without NUL`)
}

/** The client's own name for a request, with which a repetition has no second effect; optional. */
export const idempotencyKeyParameter: Parameter<string | undefined> = {
  description:
    "Names the request: a repeated request with the same key gets the first response again and costs nothing more.",
  jsonSchema: { type: "string", minLength: 1, maxLength: 255 },
  decode: (text) =>
    text === undefined || /^[\x21-\x7e]{1,255}$/.test(text)
      ? Result.succeed(text)
      : Result.fail("Expected 1 to 255 visible ASCII characters")
}

const ON_DISCONNECT = ["end", "continue"] as const

/** The client's choice if a reply stops or continues when its reader disconnects. */
export const onDisconnectParameter: Parameter<(typeof ON_DISCONNECT)[number]> = {
  description:
    "`continue`: the reply is written, stored and charged to its end even if its reader disconnects; GET /api/chats/{id}/stream joins it, DELETE ends it. Without it, a disconnect ends the reply and its cost.",
  jsonSchema: { type: "string", enum: ON_DISCONNECT, default: "end" },
  decode: (text = "end") => {
    const known = ON_DISCONNECT.find((each) => each === text)
    return known === undefined ? Result.fail(`Expected ${ON_DISCONNECT.join(" or ")}`) : Result.succeed(known)
  }
}

/** The header of requests and responses that names the version of the AI SDK's protocol. */
export const UI_STREAM = "x-vercel-ai-ui-message-stream"
export const UI_STREAM_VERSION = "v1"
export const EVENT_STREAM = "text/event-stream"

/** The header with which a client asks a route for a UI message stream. */
export const uiStreamParameter: Parameter<string | undefined> = {
  description: `\`${UI_STREAM_VERSION}\`, together with \`Accept: ${EVENT_STREAM}\`: the response is the UI message stream of the AI SDK, which \`useChat\` reads, in the place of plain text.`,
  jsonSchema: { type: "string" },
  decode: (text) => Result.succeed(text)
}

/** True if a client asks for the UI message stream of the AI SDK. */
export const asksForUiStream = (request: Pick<Request, "valuesOf">, version: string | undefined): boolean =>
  version === UI_STREAM_VERSION &&
  request.valuesOf("accept").some((accept) => accept.split(",").some((type) => typeOf(type) === EVENT_STREAM))

const typeOf = (accepted: string): string => (accepted.split(";")[0] ?? "").trim().toLowerCase()

/** A parameter with one of a few texts, optional. */
export const choiceParameter = <const Names extends ReadonlyArray<string>>(
  names: Names,
  description: string
): Parameter<Names[number] | undefined> => ({
  description,
  jsonSchema: { type: "string", enum: names },
  decode: (text) => {
    const known = names.find((each) => each === text)
    return text !== undefined && known === undefined
      ? Result.fail(`Expected one of ${names.join(", ")}`)
      : Result.succeed(known)
  }
})

/** A parameter with an id, required. Ids are stored in lower case. */
export const uuidParameter = (description: string): Parameter<string> => ({
  description,
  jsonSchema: { type: "string", format: "uuid" },
  decode: (text) =>
    text !== undefined && isUuid(text) ? Result.succeed(text.toLowerCase()) : Result.fail("Expected a UUID")
})

const isUserId = Schema.is(UserId)

/** A parameter with the id of a person about whom an operator or a service asks. */
export const userParameter: Parameter<UserId> = {
  description: "The person's id, as the identity provider names it, URL-encoded.",
  jsonSchema: { type: "string", minLength: 1, maxLength: 255 },
  decode: (text) =>
    isUserId(text) ? Result.succeed(text) : Result.fail("Expected a person's id: 1 to 255 characters, without NUL")
}

/** A parameter with an id, optional. */
export const optionalUuidParameter = (description: string): Parameter<string | undefined> => {
  const { decode, ...documented } = uuidParameter(description)
  return { ...documented, decode: (text) => (text === undefined ? Result.succeed(undefined) : decode(text)) }
}

const CURSOR = /^(\d{1,16})_([0-9a-f-]{36})$/

/** A cursor that the previous page of conversations returned; optional. */
export const conversationCursorParameter: Parameter<ConversationCursor | undefined> = {
  description: "The `nextBefore` of the previous page: only elements that were used before it.",
  jsonSchema: { type: "string" },
  decode: (text) => {
    if (text === undefined) return Result.succeed(undefined)
    const [, micros = "", id = ""] = CURSOR.exec(text) ?? []
    const usedAtMicros = Number(micros)
    return isUuid(id) && Number.isSafeInteger(usedAtMicros)
      ? Result.succeed({ usedAtMicros, id })
      : Result.fail("Expected the `nextBefore` of the previous page")
  }
}

/** The text of a cursor, in the form that the parameter accepts. */
export const cursorText = ({ id, usedAtMicros }: ConversationCursor): string => `${usedAtMicros}_${id}`

/** The refusal of a cursor that no earlier page returned, as a problem of its parameter. */
export const refusedCursor = ({ expected, field }: InvalidInput): InvalidRequest =>
  new InvalidRequest({ issues: [{ path: field, message: `Expected ${expected}` }] })

/** The offset and the length of a page of a list. */
export const pageParameters = {
  limit: integerParameter({ description: "The most elements in the response.", minimum: 1, maximum: 200, default: 50 }),
  offset: integerParameter({
    description: "Number of elements to skip.",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0
  })
}

/**
 * Decodes the parameters from the sent texts of each name. Returns their values, or all problems. A name that is sent
 * twice is a problem.
 */
export const decodeParameters = <P extends Parameters>(
  parameters: P,
  sent: (name: string) => ReadonlyArray<string>
): Effect.Effect<ParameterValues<P>, InvalidRequest> => {
  const issues: Array<{ path: string; message: string }> = []
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    const texts = sent(name)
    const decoded = texts.length > 1 ? Result.fail("Expected it once") : parameter.decode(texts[0])
    if (Result.isSuccess(decoded)) values[name] = decoded.success
    else issues.push({ path: name, message: decoded.failure })
  }
  return issues.length > 0 ? Effect.fail(new InvalidRequest({ issues })) : Effect.succeed(values as ParameterValues<P>)
}
