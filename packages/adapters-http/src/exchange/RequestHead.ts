import type { IncomingHttpHeaders } from "node:http"

/** What the head of a request says. */
export interface RequestHead {
  readonly method: string
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** `1.0` or `1.1`. */
  readonly httpVersion: string
  /** The address the request came from, as far as trusted proxies report it. */
  readonly peer: string
  /** What brought the request: Node's or Express' request, or that of fetch. For the host's own sign-in. */
  readonly source: unknown
}
