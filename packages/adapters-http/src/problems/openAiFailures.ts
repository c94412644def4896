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

/** Codes for which OpenAI's clients know another name, by which they act. */
const KNOWN_AS: Readonly<Record<string, string>> = { prompt_too_long: "context_length_exceeded" }

/** Their problem is the model that the request names. */
const OF_MODEL: ReadonlyArray<string> = [
  "model_not_found",
  "model_not_allowed",
  "model_unavailable"
] satisfies Array<ErrorCode>

/** A place in the head or the whole body is no field of the request. */
const NO_FIELDS: ReadonlyArray<string> = ["body", "path"]

const paramOf = ({ code, issues }: Problem & { readonly issues?: ReadonlyArray<{ readonly path: string }> }) => {
  if (OF_MODEL.includes(code)) return "model"
  const path = issues?.[0]?.path
  return path === undefined || NO_FIELDS.includes(path) ? null : path
}

/** Failures as OpenAI's clients read them: their classes of errors follow the status. */
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
  // Clients would repeat it by themselves, and a reply that broke off was charged for its written part.
  headersOf: ({ code }) => (code === "model_failed" ? { "x-should-retry": "false" } : {})
}
