import type { IncomingMessage, RequestListener } from "node:http"
import { makeHttpCore } from "../core/HttpCore.ts"
import { type HttpOptions, STALLED_READER_MS } from "../environment/HttpOptions.ts"
import { REQUEST_ID, requestIdFrom } from "../exchange/requestId.ts"
import { below, prefixFrom, targetOf } from "../exchange/target.ts"
import { InvalidRequest } from "../problems/errors.ts"
import { answerNotFound, answerProblem } from "./answerProblem.ts"
import { securityHeaders } from "./securityHeaders.ts"
import { serveNode } from "./serveNode.ts"
import { trustedPeer, type TrustProxy } from "./trustedPeer.ts"

/** `authenticate` is asked with Node's request. */
export interface ListenerOptions extends HttpOptions<IncomingMessage> {
  /** The path under which the routes are served, for example `/api-root`; default: the root. */
  readonly prefix?: string | undefined
  /** Proxies that are trusted to report the client's address; default none. */
  readonly trustProxy?: TrustProxy | undefined
  /** Serves requests that match no route, for example pages; security headers are set already. Default 404. */
  readonly otherwise?: RequestListener | undefined
}

/** A host, in words or in brackets, and a port (RFC 9110, 7.2; RFC 3986, 3.2); HTTP/1.0 may leave it out. */
const HOST = /^(?:\[[\w:.%]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
const invalidHost = new InvalidRequest({
  issues: [{ path: "host", message: "Expected the name or the address of a server" }]
})

/**
 * A whole server as a listener of Node's HTTP server: the routes, security headers on every response, and problem
 * details for all other requests. Throws if `baseUrl` or `prefix` is invalid.
 */
export const parleyListener = (options: ListenerOptions): RequestListener => {
  const core = makeHttpCore(options)
  const prefix = prefixFrom(options.prefix)
  const headers = securityHeaders(URL.parse(options.baseUrl ?? "")?.protocol === "https:")
  const peerOf = trustedPeer(options.trustProxy)
  const { otherwise = answerNotFound, stalledReaderMs = STALLED_READER_MS } = options
  return (request, response) => {
    const id = requestIdFrom(request.headers[REQUEST_ID])
    const isAddressed = HOST.test(request.headers.host ?? "")
    const target = below(targetOf(request.url ?? "/"), prefix)
    const match = target && core.match(request.method ?? "GET", target.path)
    if (isAddressed && target !== undefined && match !== undefined) {
      const peer = () => peerOf(request)
      const exchange = { core, match, id, target, prefix, peerOf: peer, headers, stalledReaderMs }
      return void serveNode(request, response, exchange)
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.setHeader(REQUEST_ID, id)
    if (isAddressed) otherwise(request, response)
    else answerProblem(request, response, invalidHost)
  }
}
