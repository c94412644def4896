import { Schema } from "effect"
import { type ErrorCode, type ProblemKind, problemTable } from "./problemTable.ts"

/**
 * The body of every error: problem details of RFC 9457 with a stable `code`, the request's id, and `error` for clients
 * that read one string.
 */
export const Problem = Schema.Struct({
  type: Schema.String.annotate({ description: "`urn:parley:problem:` and the code." }),
  title: Schema.String.annotate({ description: "The kind of the problem, in a few words." }),
  status: Schema.Int.annotate({ description: "The status of the response." }),
  detail: Schema.String.annotate({ description: "The problem and its remedy, for people." }),
  code: Schema.String.annotate({ description: "The stable name of the kind, for programs." }),
  requestId: Schema.String.annotate({ description: "The id of the request, as `x-request-id` names it." }),
  error: Schema.String.annotate({ description: "The same as `detail`." })
}).annotate({
  identifier: "Problem",
  description: "A problem (RFC 9457). Some codes have further members.",
  examples: [
    {
      type: "urn:parley:problem:chat_not_found",
      title: "There is no such chat",
      status: 404,
      detail: "There is no such chat.",
      code: "chat_not_found",
      requestId: "3f0c5a1e-6f0e-4a58-9d3b-0d5a4b8c7e21",
      error: "There is no such chat."
    }
  ]
})
export type Problem = typeof Problem.Type

export const PROBLEM_CONTENT_TYPE = "application/problem+json"

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(problemTable, code)

/** True if a storage over several databases failed because one of them, the named cell, did not answer. */
const isOfCell = (error: object): boolean => "cell" in error && typeof error.cell === "string"

/** Returns the code of a failed or thrown value; `internal_error` if the value has no known code. */
export const codeOf = (error: unknown): ErrorCode => {
  if (typeof error !== "object" || error === null || !("code" in error)) return "internal_error"
  const { code } = error
  if (code === "storage_unavailable" && isOfCell(error)) return "cell_unavailable"
  return isErrorCode(code) ? code : "internal_error"
}

/** The status of the response to a thrown or failed value. */
export const statusOf = (error: unknown): number => problemTable[codeOf(error)].status

/**
 * Returns the body of the response to a failed value. The body contains only the message of a listed error and the
 * members that the table names, so that no other part of an error can leak.
 */
export const problemFrom = (error: unknown, requestId: string): Problem => {
  const code = codeOf(error)
  const kind: ProblemKind = problemTable[code]
  const detail = kind.detail ?? (error as { readonly message: string }).message
  const source = error as Readonly<Record<string, unknown>>
  const memberOf = (name: string) => {
    const value = source[name]
    return typeof value === "number" && kind.times?.includes(name) === true ? new Date(value).toISOString() : value
  }
  const members = Object.fromEntries(
    (kind.members ?? []).filter((name) => source[name] !== undefined).map((name) => [name, memberOf(name)])
  )
  const { status, title } = kind
  return { type: `urn:parley:problem:${code}`, title, status, detail, code, requestId, error: detail, ...members }
}
