import { isUuid } from "@parley/core"
import { Effect, Result } from "effect"
import { InvalidRequest } from "../problems/errors.ts"

/** One parameter of a path, a query or the headers: what the documentation says, and how its text becomes a value. */
export interface Parameter<A> {
  readonly description: string
  readonly jsonSchema: Readonly<Record<string, unknown>>
  /** The value, or what was expected instead. Undefined where the parameter was not sent. */
  readonly decode: (text: string | undefined) => Result.Result<A, string>
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer A> ? A : never
}

/** A whole number in plain decimal digits. */
export const integerParameter = (input: {
  readonly description: string
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}): Parameter<number> => {
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

/** A text that may be left out. */
export const textParameter = (description: string): Parameter<string | undefined> => ({
  description,
  jsonSchema: { type: "string" },
  decode: (text) =>
    text === undefined || (text.isWellFormed() && !text.includes("\0"))
      ? Result.succeed(text)
      : Result.fail("Expected a text without NUL")
})

/** The name a client gives a request, so that sending it again does not do it again; may be left out. */
export const idempotencyKeyParameter: Parameter<string | undefined> = {
  description:
    "Names the request: sent again with the same key, it gets the first answer again and costs nothing more.",
  jsonSchema: { type: "string", minLength: 1, maxLength: 255 },
  decode: (text) =>
    text === undefined || /^[\x21-\x7e]{1,255}$/.test(text)
      ? Result.succeed(text)
      : Result.fail("Expected 1 to 255 visible ASCII characters")
}

/** An id, required. Lower case is the form in which ids are kept. */
export const uuidParameter = (description: string): Parameter<string> => ({
  description,
  jsonSchema: { type: "string", format: "uuid" },
  decode: (text) =>
    text !== undefined && isUuid(text) ? Result.succeed(text.toLowerCase()) : Result.fail("Expected a UUID")
})

/** An id that may be left out. */
export const optionalUuidParameter = (description: string): Parameter<string | undefined> => {
  const { decode, ...documented } = uuidParameter(description)
  return { ...documented, decode: (text) => (text === undefined ? Result.succeed(undefined) : decode(text)) }
}

/** Where a list begins and how much of it is given. */
export const pageParameters = {
  limit: integerParameter({ description: "The most elements to give.", minimum: 1, maximum: 200, default: 50 }),
  offset: integerParameter({
    description: "How many elements to skip.",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0
  })
}

/** Takes what was sent for each name; gives the values, or every problem found. A name sent twice is a problem. */
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
