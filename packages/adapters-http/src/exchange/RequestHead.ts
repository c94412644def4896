import type { IncomingHttpHeaders } from "node:http"

/** The head of a request. */
export interface RequestHead {
  readonly method: string
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** `1.0` or `1.1`. */
  readonly httpVersion: string
  /** The address the request came from, as far as trusted proxies report it. */
  readonly peer: string
  /** The host's own request: Node's or Express', or that of fetch. For the host's own sign-in. */
  readonly source: unknown
}
