import type { UserId } from "@parley/core"
import { Result, Schema } from "effect"
import { type Parameter, userParameter } from "../parameters.ts"

/** A parameter with the id of a person, optional. */
export const optionalUserParameter = (description: string): Parameter<UserId | undefined> => ({
  ...userParameter,
  description,
  decode: (text) => (text === undefined ? Result.succeed(undefined) : userParameter.decode(text))
})

/** A parameter with `true` or `false`; default false. */
export const flagParameter = (description: string): Parameter<boolean> => ({
  description,
  jsonSchema: { type: "boolean", default: false },
  decode: (text = "false") =>
    text === "true" || text === "false" ? Result.succeed(text === "true") : Result.fail("Expected true or false")
})

/** A parameter with a time, optional; decoded to Unix milliseconds. */
export const optionalTimeParameter = (description: string): Parameter<number | undefined> => ({
  description,
  jsonSchema: { type: "string", format: "date-time" },
  decode: (text) => {
    if (text === undefined) return Result.succeed(undefined)
    const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(moment) ? Result.fail("Expected a time in ISO 8601") : Result.succeed(moment)
  }
})

/** The operator's reason for an action, as free text. */
export const Reason = Schema.String.check(
  Schema.isMaxLength(500),
  Schema.isPattern(/^(?=.*\S)[^\p{Cc}\p{Cs}]+$/u, { message: "Expected a reason, in one line" })
).annotate({ description: "The reason, for the audit log: one line of at most 500 characters." })
