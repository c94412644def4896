import { Context } from "effect"

/** The data about a request for which a call is made, as the security log needs it. */
export interface RequestFacts {
  /** The client's address, as reported by trusted proxies; may be any text from a client. */
  readonly address: string
  /** The client's `User-Agent`; may be any text from a client. */
  readonly userAgent: string | undefined
  /** The method and the pattern of the path. */
  readonly route: string
  readonly requestId: string
}

/** The request for which a call is made; undefined for commands and for calls of an application. */
export class RequestOrigin extends Context.Reference<RequestFacts | undefined>("@parley/core/identity/RequestOrigin", {
  defaultValue: () => undefined
}) {}
