/** A request after its response, for an access log. Without texts of people, queries and headers. */
export interface AnsweredRequest {
  readonly requestId: string
  /** The trace to which the request belongs: its caller's or, if traces are exported, one of its own. */
  readonly traceId: string | undefined
  readonly method: string
  /** The route of the table, for example `GET /api/chats/{id}`; undefined for pages and unknown paths. */
  readonly route: string | undefined
  /** The person, if that was proven. */
  readonly userId: string | undefined
  /** The status that was sent; undefined if the client left before it. */
  readonly status: number | undefined
  /** False if the response was broken off, by the client or by a failure. */
  readonly complete: boolean
  /** Milliseconds from the request's head to the end of the response. */
  readonly durationMs: number
  /** Milliseconds to the response's head; undefined if none was sent. */
  readonly firstByteMs: number | undefined
  /** The credits that its work had charged by the end of the response. */
  readonly credits: number
  /** Bytes that were written to the connection for the response, its head included. */
  readonly bytes: number
}

/** The facts that a request's work finds out. */
export interface RequestFinding {
  route?: string
  traceId?: string | undefined
  /** Credits charged so far. */
  credits: number
  userId?: string | undefined
}
