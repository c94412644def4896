import { Schema } from "effect"
import { type ErrorCode, type ProblemKind, problemTable } from "./problemTable.ts"

/** The body of every error: problem details of RFC 9457 with a stable `code`, the request's id, and `error` for clients that read one string. */
export const Problem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  code: Schema.String,
  requestId: Schema.String,
  error: Schema.String
}).annotate({ description: "The problem and its remedy." })
export type Problem = typeof Problem.Type

export const PROBLEM_CONTENT_TYPE = "application/problem+json"

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(problemTable, code)

/** The code of a thrown or failed value; without one it is an `internal_error`. */
export const codeOf = (error: unknown): ErrorCode => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return isErrorCode(code) ? code : "internal_error"
}

/** The status of the response to a thrown or failed value. */
export const statusOf = (error: unknown): number => problemTable[codeOf(error)].status

/**
 * Takes any failed value; returns the body of its response. It contains only the message of a listed error and the
 * members that its kind names, so that nothing else of an error can leak.
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
