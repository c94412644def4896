import { Schema } from "effect"
import type { FailureForm } from "./FailureForm.ts"
import type { Problem } from "./Problem.ts"
import type { ErrorCode } from "./problemTable.ts"

const OpenAiError = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String.annotate({ description: "The problem and its remedy, for people." }),
    type: Schema.String.annotate({ description: "The group of the problem, for example `invalid_request_error`." }),
    param: Schema.NullOr(Schema.String).annotate({
      description: "The field of the request that is not accepted; null if there is no such field."
    }),
    code: Schema.String.annotate({ description: "The stable name of the problem, for programs." })
  }).annotate({ description: "The problem. Some codes have further members, as in problem details." })
}).annotate({ identifier: "OpenAiError", description: "A problem in the form of OpenAI's protocol." })

const typeOf = (status: number): string => {
  if (status >= 500) return "server_error"
  const types: Readonly<Record<number, string>> = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    429: "rate_limit_error"
  }
  return types[status] ?? "invalid_request_error"
}

/** The codes that have another name in OpenAI's protocol. OpenAI's clients branch on that name. */
const KNOWN_AS: Readonly<Record<string, string>> = { prompt_too_long: "context_length_exceeded" }

/** Codes whose problem is the model that the request names, so that `param` is `model`. */
const OF_MODEL: ReadonlyArray<string> = [
  "model_not_found",
  "model_not_allowed",
  "model_unavailable"
] satisfies Array<ErrorCode>

/** Places of issues that are no field of the request: its whole body, or its path. */
const NO_FIELDS: ReadonlyArray<string> = ["body", "path"]

const paramOf = ({ code, issues }: Problem & { readonly issues?: ReadonlyArray<{ readonly path: string }> }) => {
  if (OF_MODEL.includes(code)) return "model"
  const path = issues?.[0]?.path
  return path === undefined || NO_FIELDS.includes(path) ? null : path
}

/** Answers failures in OpenAI's form. OpenAI's clients choose their error class by the status. */
export const openAiFailures: FailureForm = {
  contentType: "application/json; charset=utf-8",
  schema: OpenAiError,
  bodyOf: (problem) => {
    const { code, detail, error: _error, requestId: _id, status, title: _title, type: _type, ...members } = problem
    const error = {
      message: detail,
      type: typeOf(status),
      param: paramOf(problem),
      code: KNOWN_AS[code] ?? code,
      ...members
    }
    return { error } satisfies typeof OpenAiError.Type
  },
  // OpenAI's clients would repeat the request on their own, although the written part of a broken-off reply was
  // charged.
  headersOf: ({ code }) => (code === "model_failed" ? { "x-should-retry": "false" } : {})
}
