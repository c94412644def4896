import type { ServerErrorCode } from "./api.ts"

/** The codes of failures that the client itself detects. */
export type ClientErrorCode =
  /** The server could not be reached, or the connection broke before the response was complete. */
  | "network_error"
  /** The caller's signal aborted the call. */
  | "aborted"
  /** A reply broke off, so that the received text is not the whole reply, or the server did not store it. */
  | "incomplete_reply"
  /** The document for which `waitUntilReady` waits cannot be read. */
  | "document_failed"

/** The stable code of a failure. */
export type ParleyErrorCode = ServerErrorCode | ClientErrorCode

interface ParleyErrorInput {
  readonly code: ParleyErrorCode
  readonly message: string
  readonly status?: number | undefined
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly cause?: unknown
}

/** The error of every failed call of the client. `message` is a sentence for people. */
export class ParleyError extends Error {
  override readonly name = "ParleyError"
  readonly code: ParleyErrorCode
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined
  /** The further fields of the server's problem, for example `required` and `available` of `insufficient_credits`. */
  readonly details: Readonly<Record<string, unknown>>
  /** The seconds to wait before another try, if the server names them. */
  readonly retryAfter: number | undefined
  /** The id of the request, for a report to the operator. */
  readonly requestId: string | undefined

  constructor({ cause, code, details = {}, message, requestId, retryAfter, status }: ParleyErrorInput) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
    this.requestId = requestId
  }
}

const secondsOf = (header: string | null): number | undefined => {
  const seconds = header === null || header.trim() === "" ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/**
 * Converts an error response to a failure. A response that contains no problem, such as a proxy's, becomes
 * `internal_error`.
 */
export const failureOf = (status: number, text: string, retryAfter: string | null): ParleyError => {
  const problem = parsed(text)
  const { code, detail, error, requestId, status: _status, title, type: _type, ...details } = problem
  return new ParleyError({
    code: typeof code === "string" ? (code as ServerErrorCode) : "internal_error",
    message: [detail, error, title].find((each) => typeof each === "string") ?? `The server answered ${status}.`,
    status,
    details,
    retryAfter: secondsOf(retryAfter),
    requestId: typeof requestId === "string" ? requestId : undefined
  })
}

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** Returns the failure of a request that got no response. */
export const unreached = (cause: unknown, signal: AbortSignal | undefined): ParleyError =>
  signal?.aborted === true
    ? new ParleyError({ code: "aborted", message: "The call was ended.", cause: signal.reason })
    : new ParleyError({ code: "network_error", message: "The server cannot be reached.", cause })
