import { Context } from "effect"

/** The request for which a call is made, as far as the security log names it. */
export interface RequestFacts {
  /** The client's address, as far as trusted proxies report it; any text of a client. */
  readonly address: string
  /** The client's `User-Agent`; any text of a client. */
  readonly userAgent: string | undefined
  /** The method and the pattern of the path. */
  readonly route: string
  readonly requestId: string
}

/** The request for which a call is made; undefined for commands and for calls of an application. */
export class RequestOrigin extends Context.Reference<RequestFacts | undefined>("@parley/core/identity/RequestOrigin", {
  defaultValue: () => undefined
}) {}
