/**
 * The facts about a request after its response, for an access log. They contain no texts of people, queries or headers.
 */
export interface AnsweredRequest {
  readonly requestId: string
  /** The trace to which the request belongs: the caller's trace or, if traces are exported, a new one. */
  readonly traceId: string | undefined
  readonly method: string
  /** The route of the table, for example `GET /api/chats/{id}`; undefined for pages and unknown paths. */
  readonly route: string | undefined
  /** The signed-in person, if the request proved one. */
  readonly userId: string | undefined
  /** The status that was sent; undefined if the client left before it. */
  readonly status: number | undefined
  /** False if the response was broken off, by the client or by a failure. */
  readonly complete: boolean
  /** Milliseconds from the request's head to the end of the response. */
  readonly durationMs: number
  /** Milliseconds to the response's head; undefined if none was sent. */
  readonly firstByteMs: number | undefined
  /** The credits that were charged for the request by the end of the response. */
  readonly credits: number
  /** Bytes that were written to the connection for the response, including its head. */
  readonly bytes: number
}

/** Facts that are found while a request is handled. */
export interface RequestFinding {
  route?: string
  traceId?: string | undefined
  /** Credits charged so far. */
  credits: number
  userId?: string | undefined
}
